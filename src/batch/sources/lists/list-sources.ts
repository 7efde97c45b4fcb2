import { sep } from 'node:path';
import type { BatchSource } from '../../model/source.ts';
import { type Expansion, expand, isPath, isStdin, type NamedSources } from '../arguments/expand.ts';
import type { SourceRoots } from '../arguments/spec.ts';
import { baseStem, findPath, withoutFileScheme } from '../files/path.ts';
import { skinSource } from '../given/skin-source.ts';
import { type ListFile, openList } from './list-file.ts';
import { listRows } from './list-rows.ts';
import type { Row } from './rows.ts';

/** All sources of a list. An invalid row is a source with a problem. */
export async function* listSources(
  label: string,
  roots: SourceRoots,
  expansion: Expansion,
): AsyncGenerator<BatchSource> {
  const list = openList(label, roots);
  let isEmpty = true;
  for await (const source of rowsOf(list, roots, expansion)) {
    isEmpty = false;
    yield { ...source, list: list.path };
  }
  if (list.path !== undefined && !isEmpty) expansion.coverage?.addList(list.path);
}

async function* rowsOf(
  list: ListFile,
  roots: SourceRoots,
  expansion: Expansion,
): AsyncGenerator<BatchSource> {
  const homes = list.folder === undefined ? [roots.cwd] : [roots.cwd, list.folder];
  for await (const item of listRows(list.chunks, list.title, roots.warn)) {
    if ('fault' in item) yield badRow(list, item.line, item.fault);
    else if ('skin' in item) yield skinSource(item.skin, placeOf(list, item.line));
    else {
      const named = { text: localPath(withoutFileScheme(item.row.source), homes), homes, isMirrored: true };
      const fault = rowFault(item.row, named, expansion);
      if (fault === undefined) yield* rowSources(item.row, named, expansion);
      else yield badRow(list, item.line, fault);
    }
  }
}

/** A path that the list writes with backslashes, as on Windows, if it leads somewhere only with slashes. */
function localPath(text: string, homes: readonly string[]): string {
  if (sep === '\\' || !text.includes('\\') || findPath(text, homes).kind !== 'absent') return text;
  const path = text.replaceAll('\\', '/');
  return findPath(path, homes).kind === 'absent' ? text : path;
}

/** Problems that only the row's source shows. */
function rowFault({ name }: Row, { text, homes }: NamedSources, { as }: Expansion): string | undefined {
  if (isStdin(text, as)) return 'stdin can be named as an argument only';
  if (name === undefined || !isPath(text, as)) return undefined;
  const isFolder = findPath(text, homes).kind === 'folder';
  return isFolder ? 'the column name must be empty, since the source is a folder' : undefined;
}

async function* rowSources(row: Row, named: NamedSources, expansion: Expansion): AsyncGenerator<BatchSource> {
  const { name, variant, visibility } = row;
  for await (const source of expand(named, expansion)) {
    yield { ...source, stem: name ?? source.stem, name, variant, visibility };
  }
}

function placeOf({ label }: ListFile, line: number): string {
  return `${label}:${line}`;
}

function badRow(list: ListFile, line: number, fault: string): BatchSource {
  const problem = { code: 'invalid_row', message: `Line ${line} of ${list.title}: ${fault}.` };
  const stem = `${list.folder === undefined ? 'stdin' : baseStem(list.label)}-${line}`;
  return { label: placeOf(list, line), content: { kind: 'problem', problem }, stem };
}
