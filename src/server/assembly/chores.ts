import { endChore, renewChore, takeChore } from '../store/chores.ts';
import type { Db } from '../store/db.ts';

/** Work that is due regularly, and that one process does for all that use the same store. */
export type Chore = 'recover' | 'prune' | 'restore-accounts';

export interface Chores {
  /** Does the work, unless another process is doing it or has done it in the last `every` milliseconds. */
  run(chore: Chore, every: number, work: () => Promise<void>): Promise<void>;
}

/**
 * On one machine: the processes of a service choose one among them (maintenance.ts), and doing a chore twice does no
 * harm.
 */
export const choresHere: Chores = { run: async (_chore, _every, work) => await work() };

/** Milliseconds after which a node that does a chore counts as gone. */
const LEASE = 30_000;
const RENEWALS_PER_LEASE = 3;
/** Part of the time between two runs by which one may come early: timers are inexact, and no run should be skipped. */
const EARLY = 0.1;

interface Surroundings {
  /** This node. */
  readonly owner: string;
  readonly onError: (error: unknown) => void;
}

/** On several machines: whoever comes first takes the chore's row in the store. */
export function choresInStore(db: Db, { owner, onError }: Surroundings): Chores {
  const holder = { owner, lease: LEASE };
  return {
    run: async (chore, every, work) => {
      if (!(await takeChore(db, chore, { ...holder, every: Math.round(every * (1 - EARLY)) }))) return;
      const beat = setInterval(
        () => void renewChore(db, chore, holder).catch(onError),
        LEASE / RENEWALS_PER_LEASE,
      );
      try {
        await work();
      } finally {
        clearInterval(beat);
        await endChore(db, chore, owner).catch(onError); // otherwise its lease runs out
      }
    },
  };
}
