import { basename, join } from 'node:path';
import type { Coverage } from '../../model/coverage.ts';
import type { BatchSource, SourceProblem } from '../../model/source.ts';
import { IGNORE_FILE } from './ignore-rules.ts';
import { type FolderStep, labelOf, type WalkOptions, type WalkRoot, walkFolder } from './walk.ts';

/** Maximum folders searched to suggest where PNG files are. */
const HINT_FOLDERS = 256;

/**
 * A source per PNG file of a folder. `above`: the stem prefix, empty or ending with
 * `/`. An empty folder is a source with a problem.
 */
export async function* folderSources(
  root: WalkRoot,
  above: string,
  options: WalkOptions & { readonly coverage?: Coverage | undefined },
): AsyncGenerator<BatchSource> {
  let [isEmpty, isThinned, isWhole] = [true, false, true];
  for await (const step of walkFolder(root, options)) {
    isWhole &&= step.problems.every(({ name }) => name !== ''); // a folder that cannot be read
    isEmpty &&= step.files.length + step.problems.length === 0;
    isThinned ||= step.isThinned;
    yield* stepSources(root, above, step);
  }
  if (isWhole) options.coverage?.addFolder({ path: root.path, recursive: options.recursive, isEmpty });
  if (!isEmpty) return;
  const hint = isThinned ? `See what --ignore and ${IGNORE_FILE} leave out.` : await hintBelow(root, options);
  yield problemSource(root.label, folderStem(root, above, ''), emptyFolder(root.label, hint));
}

function* stepSources(root: WalkRoot, above: string, step: FolderStep): Generator<BatchSource> {
  const stems = step.place === '' ? above : `${above}${step.place}/`;
  const labels = folderPrefix(join(root.label, step.place));
  const paths = folderPrefix(join(root.path, step.place));
  for (const { name, problem } of step.problems) {
    if (name === '')
      yield problemSource(labelOf(root, step.place), folderStem(root, above, step.place), problem);
    else yield problemSource(labels + name, stems + withoutExtension(name), problem);
  }
  for (const name of step.files) {
    const content = { kind: 'file', path: paths + name } as const;
    yield { label: labels + name, content, stem: stems + withoutExtension(name) };
  }
}

function folderStem(root: WalkRoot, above: string, place: string): string {
  return above + (place === '' ? basename(root.path) : place);
}

/** The path prefix, joined once: joining is most of the work for a large folder. */
function folderPrefix(folder: string): string {
  return join(folder, '_').slice(0, -1);
}

function withoutExtension(name: string): string {
  return name.replace(/\.png$/i, '');
}

function problemSource(label: string, stem: string, problem: SourceProblem): BatchSource {
  return { label, content: { kind: 'problem', problem }, stem };
}

function emptyFolder(label: string, hint: string | undefined): SourceProblem {
  return { code: 'empty_folder', message: `There are no PNG files in ${label}.`, hint };
}

async function hintBelow(root: WalkRoot, options: WalkOptions): Promise<string | undefined> {
  if (options.recursive) return undefined;
  let seen = 0;
  for await (const { files } of walkFolder(root, { ...options, recursive: true })) {
    if (files.length > 0) return 'Use -r to include subfolders.';
    if (++seen === HINT_FOLDERS) return undefined;
  }
  return undefined;
}
