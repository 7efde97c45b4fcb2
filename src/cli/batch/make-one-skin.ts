import { statSync } from 'node:fs';
import type { BatchResult, SourceContent } from '../../batch/model.ts';
import type { BatchSummary } from '../../batch/options.ts';
import { inspectSource } from '../../batch/pictures.ts';
import { EMBEDDED } from '../../batch/signers.ts';
import type { CommandContext } from '../context/context.ts';
import { exitStatus } from '../errors/exit.ts';
import { forService } from '../errors/service-hints.ts';
import { sayWhereToPaste, skinFields } from '../output/results.ts';
import { resultPictures, type ShownSkin, textureOf } from '../preview.ts';
import { clean } from '../text/text.ts';
import { type BatchCall, formatsOf, openOutput } from './output.ts';
import { type Presentation, singleLine, singleSentence } from './progress.ts';
import { runBatchCommand } from './run.ts';
import { exitAfterFailures, haltError, printSignerNotice } from './summary.ts';

/**
 * Processes one source as a batch of one: it shares the caller's queue slots with other processes, recovers a lost
 * response, follows its job however long that takes, and resumes an interrupted run.
 */
export async function makeOneSkin(call: BatchCall): Promise<number> {
  const { context, typed } = call;
  const [label = ''] = [...typed.sources, ...(typed.player ?? [])];
  const started = context.clock.monotonic();
  const seconds = () => (context.clock.monotonic() - started) / 1_000;
  let job: string | undefined;
  let outcome: BatchResult | undefined;
  const presentation: Presentation = {
    openOutput: () => {
      const output = openOutput(call);
      const deliver = (result: BatchResult) => {
        outcome = result;
        return output.deliver(result);
      };
      return { ...output, deliver };
    },
    progress: {
      line: (view, columns) => singleLine(label, { ...view, job, seconds: seconds() }, columns),
      // With --json, stderr carries only an error.
      sentence: (view) =>
        context.flags.json ? undefined : singleSentence(label, { ...view, job, seconds: seconds() }),
    },
    pictures: resultPictures(
      typed,
      async (result) => await pictureFile(result, outcome?.content, call),
      context,
    ),
    accepted: (id) => {
      job = id;
    },
    printSummary: async (summary) => await printSummary(summary, { call, job, outcome }),
  };
  return await runBatchCommand(call, { presentation });
}

/** The image that was submitted, if available; otherwise the resulting texture. */
async function pictureFile(
  skin: ShownSkin,
  content: SourceContent | undefined,
  { context, settings }: BatchCall,
): Promise<Uint8Array> {
  const inspected = content && inspectSource(content, 'auto', undefined);
  if (inspected && 'bytes' in inspected && inspected.bytes) return inspected.bytes;
  return await textureOf(skin, await context.connect(settings), context.signal);
}

interface Ending {
  readonly call: BatchCall;
  readonly job: string | undefined;
  readonly outcome: BatchResult | undefined;
}

async function printSummary(summary: BatchSummary, { call, job, outcome }: Ending): Promise<number> {
  const { context } = call;
  if (summary.end === 'interrupted') {
    context.messages.say(interruptionText(job, context));
    context.signal.throwIfAborted();
  }
  if (summary.end === 'halted') throw haltError(summary, context);
  if (outcome?.error) return exitStatus(exitAfterFailures(new Set([outcome.error.code])));
  if (outcome?.skin) reportWritten(call);
  if (outcome?.skin && !call.typed.ndjson)
    sayWhereToPaste(formatsOf(call), { ...outcome, skin: skinFields(outcome.skin) }, context);
  if (outcome?.skin?.signedBy?.signer === EMBEDDED) await printSignerNotice(call);
  return exitStatus('done');
}

/** Says nothing of a pipe or a device, to which another program listens. */
function reportWritten({ context: { flags, messages }, typed: { out } }: BatchCall): void {
  if (flags.json || out === undefined || !statSync(out, { throwIfNoEntry: false })?.isFile()) return;
  messages.say(`Wrote ${clean(out)}.`);
}

function interruptionText(job: string | undefined, context: CommandContext): string {
  const again = 'Run the same command again to continue.';
  if (job === undefined) return `Stopped before the service accepted a job. ${again}`;
  const status = forService(`skinsmith status ${job}`, context);
  return `The service continues with job ${job}; to see it: ${status}. ${again}`;
}
