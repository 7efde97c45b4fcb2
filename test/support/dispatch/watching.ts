import { type OpenJob, SlotLimit, Slots, type Submission } from '../../../src/dispatch/limits.ts';
import { Lag, ServiceMemory } from '../../../src/dispatch/service-facts.ts';
import { Watcher, type WatcherPorts } from '../../../src/dispatch/watcher.ts';

export function jobOf(id: string, acceptedAt: number): OpenJob<Submission> {
  return {
    id,
    work: { key: id } as Submission,
    isTimed: true,
    timestamp: undefined,
    acceptedAt,
    eta: undefined,
  };
}

/**
 * A watcher of these jobs, at 1,000 ms, and the jobs that it polls singly; nobody has any others. It stops when it
 * would wait for the first time.
 */
export function watch(
  jobs: readonly OpenJob<Submission>[],
  client: Partial<Record<'queueList' | 'job', (id: string) => Promise<unknown>>>,
) {
  const asked: string[] = [];
  const waits: string[] = [];
  const pauses: (number | undefined)[] = [];
  const stop = new AbortController();
  const slots = new Slots();
  for (const job of jobs) slots.took(job);
  const ports = {
    session: {
      slots,
      slotLimit: new SlotLimit(5),
      lag: new Lag(),
      memory: new ServiceMemory(0),
      isUnproven: false,
      failed: () => {},
      now: () => 1_000,
      call: () => ({}),
      whileTold: async (request: () => Promise<unknown>) => await request(),
      roundTrip: { took: () => {} },
      clock: { sleep: async (ms: number) => void waits.push(`${ms} ms`) },
      outage: { passed: () => {}, pause: async () => void waits.push('trouble') },
      sawJobTime: () => {},
      client,
    },
    wakeUp: {
      notify: () => {},
      wait: async (pause?: number) => {
        pauses.push(pause);
        stop.abort();
      },
    },
    lostAnswers: { size: 0, lookAt: () => undefined, sawList: () => {} },
    others: { takeNews: () => undefined, tryLook: () => 0, endLook: () => {} },
    stop: stop.signal,
    onEnded: () => {},
    onPoll: (job: OpenJob<Submission>) => asked.push(job.id),
    onLooked: () => {},
    onDoubt: () => {},
  } as unknown as WatcherPorts<Submission>;
  return { watcher: new Watcher(ports), asked, waits, pauses, ports, session: ports.session };
}
