import { posix } from 'node:path';
import { describeImport, type Import } from './imports.ts';
import { FLOORS, PACKAGES, ROOMS, type Room } from './table.ts';

const SRC = 'src/';

/** Imports of packages in folders that may not have them. */
export function packagesOutOfPlace(imports: readonly Import[]): string[] {
  return imports
    .filter(({ target }) => !target.startsWith(SRC))
    .filter(({ file, target }) => !(PACKAGES[target] ?? []).some((folder) => isIn(folder, file)))
    .map(
      (one) => `${describeImport(one)}, which ${list(PACKAGES[one.target] ?? [], 'no folder')} may import`,
    );
}

/** Imports of rooms that the row of the importing one does not name. */
export function roomsOutOfPlace(imports: readonly Import[]): string[] {
  return imports
    .filter(({ target }) => target.startsWith(SRC))
    .filter(({ file, target }) => !mayImport(file, target, [...rowOf(file).imports, ...stillImports(file)]))
    .map(
      (one) =>
        `${describeImport(one)}, but ${roomOf(one.file)} may import ${list(rowOf(one.file).imports, 'no other room')}`,
    );
}

/** Rooms that the table says another still imports, and does no more. */
export function curedRooms(imports: readonly Import[]): string[] {
  return Object.entries(ROOMS).flatMap(([room, { stillImports = [] }]) =>
    stillImports
      .filter((other) => !imports.some(({ file, target }) => isIn(room, file) && isIn(other, target)))
      .map((other) => `${room} → ${other}`),
  );
}

/** Imports of a folder that stands above the one that imports it, and is not known to be. */
export function upwardImports(imports: readonly Import[]): string[] {
  return imports
    .filter((one) => isUpward(one) && !knownUpward(folderOf(one.file)).includes(folderOf(one.target)))
    .map((one) => `${describeImport(one)}, but ${folderOf(one.target)}/ stands above ${folderOf(one.file)}/`);
}

/** What stands in the table as a known upward import and is there no more. */
export function curedUpwardImports(imports: readonly Import[]): string[] {
  const upward = new Set(
    imports.filter(isUpward).map(({ file, target }) => `${folderOf(file)} → ${folderOf(target)}`),
  );
  return Object.values(FLOORS)
    .flatMap((floors) => Object.entries(floors))
    .flatMap(([folder, known]) => known.map((target) => `${folder} → ${target}`))
    .filter((known) => !upward.has(known));
}

/** Folders of files that stand in no table. */
export function foldersWithoutFloor(files: readonly string[]): string[] {
  return [...new Set(files.map(folderOf))].filter((folder) => {
    const floors = FLOORS[folder.split('/')[0]!];
    return floors === undefined ? ROOMS[folder] === undefined && folder !== '' : !(folder in floors);
  });
}

/** Folders of the table that hold no file. */
export function floorsWithoutFiles(files: readonly string[]): string[] {
  const folders = new Set(files.map(folderOf));
  return Object.values(FLOORS)
    .flatMap((floors) => Object.keys(floors))
    .filter((folder) => !folders.has(folder));
}

function mayImport(file: string, target: string, allowed: readonly string[]): boolean {
  return roomOf(file) === roomOf(target) || allowed.some((path) => isIn(path, target));
}

/** The room that a file is in: the first folder of its path, or itself. */
function roomOf(file: string): string {
  return file.slice(SRC.length).split('/')[0]!;
}

/** What the table says of a file: the row with the longest path that it is in. */
function rowOf(file: string): Room {
  const rows = Object.keys(ROOMS).filter((room) => isIn(room, file));
  return ROOMS[rows.toSorted((a, b) => b.length - a.length)[0]!] ?? { holds: '', imports: [] };
}

function stillImports(file: string): readonly string[] {
  return rowOf(file).stillImports ?? [];
}

function isUpward({ file, target }: Import): boolean {
  const floors = Object.keys(FLOORS[roomOf(file)] ?? {});
  const [from, to] = [floors.indexOf(folderOf(file)), floors.indexOf(folderOf(target))];
  return from >= 0 && to >= 0 && to < from;
}

function knownUpward(folder: string): readonly string[] {
  return FLOORS[folder.split('/')[0]!]?.[folder] ?? [];
}

/** Of a file in src/, as the tables write it; '' for src/ itself. */
function folderOf(file: string): string {
  return posix.dirname(file).slice(SRC.length);
}

/** Whether a path is this folder's or file's of src/. */
function isIn(folder: string, path: string): boolean {
  return path === SRC + folder || path.startsWith(`${SRC}${folder}/`);
}

function list(names: readonly string[], none: string): string {
  return names.length === 0 ? none : `only ${names.join(', ')}`;
}

/** The table of rooms as CONTRIBUTING shows it. */
export function roomsAsMarkdown(): string {
  const rows = Object.entries(ROOMS).map(
    ([room, { holds, imports }]) =>
      `| ${code(room)} | ${holds} | ${imports.map(code).join(', ') || 'nothing'} |`,
  );
  return ['| In `src/` | What it holds | What it imports |', '|---|---|---|', ...rows].join('\n');
}

function code(room: string): string {
  return room.endsWith('.ts') ? `\`${room}\`` : `\`${room}/\``;
}
