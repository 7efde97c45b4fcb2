import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type BatchResult, Coverage } from '../../batch/model.ts';
import { type BatchEvent, DeliveryError } from '../../batch/options.ts';
import { runBatch } from '../../batch/run/run-batch.ts';
import { GithubReport } from '../output/github.ts';
import type { BatchCall } from './call.ts';
import { openOutput } from './output.ts';
import { BatchProgress, LIST_PROGRESS, type Presentation } from './progress.ts';
import { Reports } from './reports.ts';
import { RunOutput } from './run-output.ts';
import { verifyRequiredSigner } from './signers.ts';
import { sourcesOf } from './sources.ts';
import { printSummary, summaryText } from './summary.ts';

const MANY: Presentation = { openOutput, progress: LIST_PROGRESS, printSummary };

/** Processes the sources: prints results (or jobs, when it does not follow them) on stdout and the rest on stderr. */
export async function runBatchCommand(call: BatchCall, presentation = MANY): Promise<number> {
  const { context, settings, typed } = call;
  const started = new Date(context.clock.now());
  const service = await context.service(settings);
  const reports = await Reports.open(call, { service: service.name, started });
  const progress = new BatchProgress(context, presentation.progress);
  const github = new GithubReport(context);
  const shown = new RunOutput(call, { progress, presentation, github });
  const left: Extract<BatchEvent, { type: 'left' }>[] = [];
  try {
    const output = presentation.openOutput(call);
    const game = await context.game();
    const deliver = async (result: BatchResult) => {
      try {
        await verifyRequiredSigner(result, typed.requireSigner, game.keys);
        const files = output.deliver(result);
        await reports.add(result);
        return files;
      } catch (error) {
        if (error instanceof DeliveryError) await reports.add(undelivered(result, error));
        throw error;
      }
    };
    const coverage = new Coverage();
    const summary = await runBatch({
      ...skinInputOf(call),
      sources: sourcesOf(call, { warn: (message) => shown.warn(message), coverage }),
      coverage,
      service,
      game,
      ownKey: await context.ownKey(),
      lockfile: output.lockfile,
      deliver,
      onProgress: (read) => void progress.start(read),
      onEvent: (event) => {
        if (event.type === 'accepted') reports.accepted(event.index);
        if (event.type === 'left' && !reports.isEmpty) left.push(event);
        shown.event(event);
      },
    });
    await shown.settled();
    for (const { index, source } of left) await reports.skip(index, source, 'left by --max-new');
    progress.stop();
    output.save({ isWhole: summary.end !== 'interrupted' });
    shown.end();
    await reports.finish(summary);
    await github.finish(summaryText(summary, call.follow), summary);
    return await presentation.printSummary(summary, call, shown.failures);
  } finally {
    progress.stop();
    await shown.endEarly();
    await reports.abandon();
  }
}

/** The result as the batch reports it then. */
function undelivered({ index, source, stem, content }: BatchResult, error: DeliveryError): BatchResult {
  const { code, message } = error;
  return { index, source, stem, content, warnings: [], error: { code, message } };
}

/** What the user wants of the batch, as typed and set. */
function skinInputOf({ context, settings, typed, follow, cape, purpose }: BatchCall) {
  return {
    stateDir: join(context.folders.data, 'batches'),
    purpose,
    variant: settings.variant,
    visibility: settings.visibility,
    cape,
    force: typed.force,
    signal: context.signal,
    slots: settings.slots,
    pollInterval: settings['poll-interval'] && settings['poll-interval'] * 1_000,
    retries: typed.retries,
    maxNew: typed.maxNew,
    prune: typed.prune && typed.yes ? ('all' as const) : typed.prune,
    verify: typed.verify,
    keepSignatures: typed.keepSignatures,
    acceptUnproven: typed.acceptUnproven,
    follow,
  };
}

/**
 * Limits heap growth. Images are large and short-lived, and by default V8 lets hundreds of megabytes of them pile up
 * before it collects. With the limit, 30,000 files take no longer and use 140 MB instead of 290 (measured). Only for
 * plans: the embedded service needs a large heap, and collecting that often would cost a fifth of the time.
 */
export function keepMemoryFlat(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=10');
}
