import type { BatchSource } from '../../batch/model/source.ts';
import { openSources } from '../../batch/sources/sources.ts';
import type { CommandContext } from '../context/context.ts';
import { usageError } from '../errors/exit.ts';
import { rootsOf } from './sources.ts';

/** The one skin that an argument names. @throws CliError if it names several, as a folder does */
export async function onlySource(text: string, context: CommandContext): Promise<BatchSource> {
  const sources: BatchSource[] = [];
  const spec = { args: [text], from: [], recursive: false, ignore: [] };
  for await (const source of openSources(spec, rootsOf(context))) {
    sources.push(source);
    if (sources.length > 1) break;
  }
  const [only] = sources;
  if (only && sources.length === 1 && !isEmptyFolder(only)) return only;
  throw usageError('not_one_source', `${text} is not a single skin.`, 'Give one PNG file, not a folder.');
}

/** Its own hint leads to an option that only commands for many skins have. */
function isEmptyFolder({ content }: BatchSource): boolean {
  return content.kind === 'problem' && content.problem.code === 'empty_folder';
}
