import type { Clock } from '../clock.ts';
import type { JobSignals } from './job-signals.ts';
import type { JobQueue } from './queue/port.ts';
import { forgetPlayers } from './store/players.ts';
import { forgetOldViews } from './store/skin-views.ts';
import type { Store } from './store/store.ts';
import { dropUnusedTextures } from './store/textures.ts';

interface MaintenanceOptions {
  readonly store: Store;
  readonly queue: JobQueue;
  readonly signals: JobSignals;
  readonly clock: Clock;
  /** Milliseconds a finished job is kept. */
  readonly retention: number;
  readonly onError: (error: unknown) => void;
}

export interface Maintenance {
  /** Frees the jobs of workers that are gone. */
  recoverNow(): Promise<void>;
  stop(): void;
}

/** Milliseconds between looks: for other processes' writes, for lost workers, for old jobs. */
const WATCH = 25;
const RECOVER = 5_000;
const PRUNE = 10 * 60_000;

/** What goes on beside requests and workers. */
export function startMaintenance(options: MaintenanceOptions): Maintenance {
  const { store, queue, signals, onError } = options;
  const recoverNow = async () => {
    if ((await queue.recover()) > 0) signals.elsewhere(); // freed ones are work, given-up ones have ended
  };
  const guarded = (work: () => Promise<void>) => () => void work().catch(onError);
  const watch = async () => {
    if (store.changedElsewhere()) signals.elsewhere();
  };
  const timers = [
    setInterval(guarded(watch), WATCH),
    setInterval(guarded(recoverNow), RECOVER),
    setInterval(
      guarded(() => prune(options)),
      PRUNE,
    ),
  ];
  for (const timer of timers) timer.unref();
  return {
    recoverNow,
    stop: () => {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** Forgets what is no longer of use to anybody. What belongs to a job goes with it, or when it ends (store/upstream-jobs.ts). */
export async function prune({
  store,
  queue,
  clock,
  retention,
}: Pick<MaintenanceOptions, 'store' | 'queue' | 'clock' | 'retention'>): Promise<void> {
  const before = clock.now() - retention;
  await queue.prune(before);
  await dropUnusedTextures(store.db, before);
  await forgetOldViews(store.db, clock.now());
  await forgetPlayers(store.db, clock.now());
}
