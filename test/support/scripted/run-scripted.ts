import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { BatchEvent, BatchOptions, BatchService } from '../../../src/batch/options.ts';
import { runBatch } from '../../../src/batch/run/run-batch.ts';
import { SkinClient } from '../../../src/client/skin-client.ts';
import { drawnSources } from '../batch/drawn-sources.ts';
import { ownFolder } from '../server/own-folder.ts';
import { type Script, ScriptedService } from './scripted-service.ts';
import { VirtualClock } from './virtual-clock.ts';

/** `known`: what is known of the service without asking it. `serviceName`: its name; default: its address. */
type Extra = Partial<BatchOptions> & Pick<BatchService, 'known'> & { readonly serviceName?: string };

/** A service as it is scripted, and what batches on its clock do with it. */
export async function prepareScripted(script: Script = {}) {
  const folder = await ownFolder();
  const clock = new VirtualClock();
  const service = new ScriptedService(clock, script);
  const events: BatchEvent[] = [];
  const batch = async (
    count: number,
    { from = 0, known, serviceName, ...extra }: Extra & { from?: number } = {},
  ) => {
    const client = new SkinClient({
      baseUrl: 'https://service.example',
      apiKey: 'k'.repeat(64),
      clock,
      random: () => 0.5,
      dispatcher: service.dispatcher,
    });
    onTestFinished(async () => await client.close());
    const name = `batch-${from}`;
    return await runBatch({
      sources: drawnSources(count, from),
      service: {
        name: serviceName ?? client.baseUrl,
        caller: client.caller,
        connect: async () => client,
        known,
      },
      stateDir: join(folder, 'state'),
      purpose: name,
      clock,
      random: () => 0.5,
      verify: false,
      onEvent: (event) => events.push(event),
      ...extra,
    });
  };
  return { folder, clock, service, events, batch };
}

/** One batch to its end; how long it took from its first submission, by the clock, milliseconds. */
export async function runScripted(count: number, script: Script = {}, extra: Extra = {}) {
  const { clock, service, events, batch } = await prepareScripted(script);
  const summary = await clock.until(batch(count, extra));
  const took = clock.monotonic() - (service.requests.submit[0] ?? Number.NaN);
  return { summary, took, service, events };
}
