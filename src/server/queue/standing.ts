import { type CallerMemory, factsAbout, memoryOf } from '../store/callers.ts';
import type { Db } from '../store/db.ts';
import { prepare } from '../store/prepared.ts';
import { PENDING } from '../store/schema/job-conditions.ts';
import type { Via } from '../store/schema/job-tables.ts';
import { keyedJob } from './idempotency.ts';
import type { NewJob } from './port.ts';

/** What decides whether a job is accepted. */
export interface Standing {
  readonly memory: CallerMemory;
  /** Number of the owner's unfinished jobs. */
  readonly pending: number;
  /** Number of those that came by the same route. */
  readonly pendingVia: number;
  /** Number of the job of an earlier request with the same idempotency key. */
  readonly keyed: number | null;
  /** Number of the owner's unfinished job for the same request. */
  readonly joined: number | null;
}

type Asked = Pick<NewJob, 'owner' | 'via'> & Partial<Pick<NewJob, 'requestKey' | 'idempotencyKey'>>;

/** All of it with a single statement. Call in the transaction that inserts the job. */
export async function readStanding(db: Db, asked: Asked, now: number): Promise<Standing> {
  const { owner, via, requestKey, idempotencyKey } = asked;
  const { pending, pendingVia, keyed, joined, ...facts } = await READ.only(db, {
    ...{ owner, via },
    ...(requestKey !== undefined && { requestKey }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  return {
    memory: memoryOf(owner, facts, now),
    pending: pending!, // counts are never null
    pendingVia: pendingVia!,
    keyed: keyed ?? null,
    joined: joined ?? null,
  };
}

interface Values {
  readonly owner: string;
  readonly via: Via;
  readonly requestKey?: string;
  readonly idempotencyKey?: string;
}

const READ = prepare((db, values: Values) =>
  factsAbout(db, values.owner)
    .select(countPending(db, values.owner).as('pending'))
    .select(countPending(db, values.owner).where('via', '=', values.via).as('pendingVia'))
    .$if(values.idempotencyKey !== undefined, (query) => query.select(keyedJob(db, values)))
    .$if(values.requestKey !== undefined, (query) =>
      query.select(
        db
          .selectFrom('jobs')
          .select('id')
          .where('owner', '=', values.owner)
          .where('request_key', '=', values.requestKey ?? '')
          .where(PENDING)
          .as('joined'),
      ),
    ),
);

function countPending(db: Db, owner: string) {
  return db
    .selectFrom('jobs')
    .select((inner) => inner.fn.countAll<number>().as('count'))
    .where('owner', '=', owner)
    .where(PENDING);
}
