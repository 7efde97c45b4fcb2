import { sql } from 'kysely';
import { HOUR, MINUTE, nextTurn, type Spent, stillSpent } from '../fairness.ts';
import type { Db } from './db.ts';
import { PreparedQuery } from './prepared-query.ts';
import { PENDING, type Tables } from './schema/tables.ts';

/** The facts about a caller that are kept from one job to the next. */
export interface CallerMemory {
  readonly owner: string;
  /** The turn of its next job, in the queue's own time. */
  readonly turn: number;
  /** When its last job and its last version 1 job were accepted; 0: never. */
  readonly spentAt: number;
  readonly generatedAt: number;
  /** Its spending that still counts. */
  readonly minute: Spent;
  readonly hour: Spent;
}

/** ID of the only row of the queue's clock. */
const CLOCK = 1;

/** The facts about a caller, if any, and the queue's clock. */
export interface CallerFacts {
  readonly clock: number;
  readonly turn: number | null;
  readonly spent_at: number | null;
  readonly generated_at: number | null;
  readonly minute: string | null;
  readonly hour: string | null;
}

/** Selects the facts about a caller, always a single row. A request can join more. */
export function factsAbout(db: Db, owner: string) {
  return db
    .selectFrom('queue_clock')
    .leftJoin('callers', (join) => join.on('callers.owner', '=', owner))
    .select(['queue_clock.turn as clock', 'callers.turn'])
    .select(['callers.spent_at', 'callers.generated_at', 'callers.minute', 'callers.hour'])
    .where('queue_clock.id', '=', CLOCK);
}

export async function recallCaller(db: Db, owner: string, now: number): Promise<CallerMemory> {
  return memoryOf(owner, await factsAbout(db, owner).executeTakeFirstOrThrow(), now);
}

export function memoryOf(owner: string, facts: CallerFacts, now: number): CallerMemory {
  const spent = (text: string | null) => JSON.parse(text ?? '[]') as Spent;
  const remembered = {
    owner,
    turn: nextTurn(facts.clock, facts.turn ?? 0),
    spentAt: facts.spent_at ?? 0,
    generatedAt: facts.generated_at ?? 0,
    minute: spent(facts.minute),
    hour: spent(facts.hour),
  };
  return currentMemory(remembered, now);
}

/** The parts that still count at `now`. */
export function currentMemory(memory: CallerMemory, now: number): CallerMemory {
  const { minute, hour } = memory;
  return { ...memory, minute: stillSpent(minute, MINUTE, now), hour: stillSpent(hour, HOUR, now) };
}

/** The row to keep of a caller. */
type CallerRow = Pick<Tables['callers'], 'owner' | 'turn' | 'spent_at' | 'generated_at' | 'minute' | 'hour'>;

export async function rememberCaller(db: Db, memory: CallerMemory): Promise<void> {
  await REMEMBER.run(db, callerRow(memory));
}

const REMEMBER = new PreparedQuery((db, row: CallerRow) =>
  db
    .insertInto('callers')
    .values(row)
    .onConflict((conflict) => conflict.column('owner').doUpdateSet(row)),
);

function callerRow(memory: CallerMemory): CallerRow {
  return {
    owner: memory.owner,
    turn: memory.turn,
    spent_at: memory.spentAt,
    generated_at: memory.generatedAt,
    minute: JSON.stringify(memory.minute),
    hour: JSON.stringify(memory.hour),
  };
}

/** Moves the queue's clock to this turn; it never goes back. */
export async function moveQueueClock(db: Db, turn: number): Promise<void> {
  await db
    .updateTable('queue_clock')
    .set({ turn })
    .where('id', '=', CLOCK)
    .where('turn', '<', turn)
    .execute();
}

/**
 * Deletes callers whose spending no longer counts, if the queue has passed their next turn. Those with pending jobs
 * stay without their spending, because on PostgreSQL the row also counts the jobs in progress.
 */
export async function deleteIdleCallers(db: Db, now: number): Promise<void> {
  const before = now - HOUR.span - HOUR.step;
  const stale = sql<boolean>`spent_at < ${before} and turn <= (select turn from queue_clock)`;
  const isPending = sql<boolean>`exists (select 1 from jobs where jobs.owner = callers.owner and ${PENDING})`;
  await sql`delete from callers where ${stale} and not ${isPending}`.execute(db);
  await sql`update callers set spent_at = 0, generated_at = 0, minute = '[]', hour = '[]'
    where ${stale} and ${isPending}`.execute(db);
}

/** The last of all assigned turns; 0: there is none. */
export async function lastTurn(db: Db): Promise<number> {
  const row = await db
    .selectFrom('callers')
    .select((eb) => eb.fn.max('turn').as('turn'))
    .executeTakeFirst();
  return row?.turn ?? 0;
}
