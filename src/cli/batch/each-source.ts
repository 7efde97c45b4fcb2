import { extname, join } from 'node:path';
import type { BatchSource } from '../../batch/model.ts';
import { OutputNames } from '../../batch/plan/output-names.ts';
import { openSources } from '../../batch/sources/lists.ts';
import type { CommandContext } from '../context/context.ts';
import { sourceReportOf } from '../errors/error-report.ts';
import { exitStatus, usageError } from '../errors/exit.ts';
import { JsonList } from '../output/described.ts';
import { printFailure } from '../terminal/messages.ts';
import { clean, count } from '../text/text.ts';
import { rootsOf, type specOf } from './call.ts';

/** What a command does with each of several sources. */
interface EachSource {
  /** Folder that gets one PNG file per source; undefined: none is written. */
  readonly folder: string | undefined;
  /** Draws one, into `file` if there is a folder. Returns its JSON output. */
  readonly draw: (source: BatchSource, file: string | undefined) => Promise<object>;
}

/** Draws every source; one that cannot be drawn does not stop the others. @throws CliError for a folder that is a file */
export async function drawEach(
  spec: ReturnType<typeof specOf>,
  { folder, draw }: EachSource,
  context: CommandContext,
): Promise<number> {
  const { io, flags, messages, signal } = context;
  if (folder !== undefined) verifyFolder(folder);
  const names = new OutputNames();
  const list = flags.json ? new JsonList(io.out) : undefined;
  const tally = { all: 0, failed: 0 };
  const warn = (message: string) => void messages.warn(message);
  try {
    for await (const source of openSources(spec, { ...rootsOf(context), warn })) {
      signal.throwIfAborted();
      const file = folder === undefined ? undefined : join(folder, `${names.take(source.stem)}.png`);
      try {
        const view = await draw(source, file);
        list?.add(view, tally.all - tally.failed);
      } catch (error) {
        await printFailure(source.label, sourceReportOf(error, context), context);
        tally.failed++;
      }
      tally.all++;
    }
    list?.end();
  } finally {
    list?.endEarly();
  }
  const drawn = tally.all - tally.failed;
  if (folder !== undefined && !flags.json)
    messages.say(`Wrote ${count(drawn)} ${drawn === 1 ? 'picture' : 'pictures'} to ${clean(folder)}.`);
  return exitStatus(tally.failed > 0 ? 'failed' : 'done');
}

/** @throws CliError */
function verifyFolder(out: string): void {
  if (out !== '-' && extname(out).toLowerCase() !== '.png') return;
  throw usageError(
    'one_file_many_sources',
    `${out === '-' ? 'stdout' : clean(out)} takes one picture, but several sources are given.`,
    'Name a folder, such as --out pictures/.',
  );
}
