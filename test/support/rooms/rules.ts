import { describeImport, type Import } from './imports.ts';
import { PACKAGES, ROOMS, type Room, SERVER_ROOMS } from './table.ts';

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
    .filter(({ file, target }) => !mayImport(file, target, rowOf(file).imports))
    .map(
      (one) =>
        `${describeImport(one)}, but ${roomOf(one.file)} may import ${list(rowOf(one.file).imports, 'no other room')}`,
    );
}

/** Imports in the server of rooms above the importing one, and all by or of rooms that the table does not name. */
export function serverRoomsOutOfOrder(imports: readonly Import[]): string[] {
  return imports
    .filter(({ file, target }) => isIn('server', file) && isIn('server', target))
    .filter(({ file, target }) => !(floorOf(file) >= floorOf(target)))
    .map((one) => `${describeImport(one)}, which is not below it`);
}

/** How many rooms of the server are below the one that a file is in; NaN if the table does not name it. */
function floorOf(file: string): number {
  const at = SERVER_ROOMS.findIndex((room) => isIn(`server/${room}`, file));
  return at === -1 ? Number.NaN : SERVER_ROOMS.length - 1 - at;
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
