import { join } from 'node:path';
import type { BatchEvent, BatchOptions } from '../../../src/batch/options.ts';
import { runBatch } from '../../../src/batch/run/run-batch.ts';
import type { HostedOptions } from '../../../src/double/hosted/options.ts';
import type { RequestKind } from '../../../src/double/requests.ts';
import { drawnSources } from '../batch/drawn-sources.ts';
import { VirtualClock } from '../scripted/virtual-clock.ts';
import { ownFolder } from '../server/own-folder.ts';
import { openInMemory } from './memory-client.ts';

/** A message to the user that a batch waits; `at`: by the test's clock. */
interface ToldWait {
  readonly at: number;
  readonly message: string;
  readonly ms: number | undefined;
}

/** Textures are on another host in the hosted service's case, and are not counted. */
const COUNTED: readonly RequestKind[] = ['submit', 'list', 'job', 'skin', 'me', 'root'];

/** The imitation of the hosted service without a network, and whole batches against it, on its clock. */
export async function openWorld(options: HostedOptions = {}, clock = new VirtualClock()) {
  const { hosted, client } = await openInMemory(options, clock);
  const stateDir = join(await ownFolder(), 'state');
  const events: BatchEvent[] = [];
  const waits: ToldWait[] = [];
  const onEvent = (event: BatchEvent) => {
    events.push(event);
    if (event.type === 'waiting') waits.push({ at: clock.monotonic(), message: event.message, ms: event.ms });
  };
  const batch = async (count: number, extra: Partial<BatchOptions> = {}) =>
    await runBatch({
      sources: drawnSources(count),
      service: { name: client.baseUrl, caller: client.caller, connect: async () => client },
      stateDir,
      purpose: 'batch',
      clock,
      random: () => 0.5,
      onEvent,
      ...extra,
    });
  /** When requests came in, of these kinds; absent: of all that count. */
  const times = (kinds = COUNTED) =>
    hosted.seen.filter(({ kind }) => kinds.includes(kind)).map(({ at }) => at);
  /** Most requests in any ten seconds that begin in a time. */
  const mostInTenSeconds = ({
    from,
    to,
    kinds,
  }: {
    from: number;
    to: number;
    kinds?: readonly RequestKind[];
  }) => {
    const all = times(kinds).filter((at) => at >= from && at < to);
    return Math.max(0, ...all.map((at) => all.filter((other) => other >= at && other < at + 10_000).length));
  };
  /** Longest time between these moments without anything that a user would see, in milliseconds. */
  const longestSilence = ({ from, to }: { from: number; to: number }) => {
    const seen = [from, ...waits.flatMap(({ at, ms = 3_000 }) => [at, at + ms]), to].filter(
      (at) => at >= from && at <= to,
    );
    seen.sort((a, b) => a - b);
    return Math.max(0, ...seen.slice(1).map((at, n) => at - seen[n]!));
  };
  return { clock, hosted, client, events, waits, batch, times, mostInTenSeconds, longestSilence };
}
