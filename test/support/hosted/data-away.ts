import { altered, type Reply, refusalReply } from '../../../src/double/replies.ts';
import type { VirtualClock } from '../scripted/virtual-clock.ts';
import type { Disturb, HostedInMemory } from './hosted-in-memory.ts';

interface Away {
  /** Milliseconds on the test's clock; Infinity: for good. */
  readonly from: number;
  readonly to: number;
}

interface ListedJob {
  readonly id: string;
}

function unknown(code: string): Reply {
  return refusalReply(404, { code, message: code });
}

/**
 * The service is restarted with an empty database: for a time it knows nothing of what it accepted before, and accepts
 * everything as new. `around`: what happens to requests besides.
 */
export function dataAway(
  hosted: HostedInMemory,
  clock: VirtualClock,
  { from, to }: Away,
  around: Disturb = hosted.disturb,
): Disturb {
  const begin = clock.now() - clock.monotonic();
  const lost = () =>
    new Set(hosted.records.accepted.filter(({ at }) => at - begin < from).map(({ job }) => job));
  return async (request, process) => {
    const answer = async () => {
      const reply = await process();
      const now = clock.monotonic();
      if (now < from || now >= to) return reply;
      if (request.kind === 'job' && lost().has(request.subject)) return unknown('job_not_found');
      if (request.kind !== 'list') return reply;
      const { jobs } = JSON.parse(String(reply.body)) as { jobs: readonly ListedJob[] };
      return altered(reply, request, { list: { jobs: jobs.filter(({ id }) => !lost().has(id)) } });
    };
    return await around(request, answer);
  };
}

/** Skins that the service does not find until so long after the first request for each, for some of them. */
export function skinsAway(clock: VirtualClock, ms: number, isHit: (uuid: string) => boolean): Disturb {
  const first = new Map<string, number>();
  return async ({ kind, subject }, process) => {
    if (kind !== 'skin' || !isHit(subject)) return await process();
    first.set(subject, first.get(subject) ?? clock.monotonic());
    return clock.monotonic() - first.get(subject)! < ms ? unknown('skin_not_found') : await process();
  };
}
