import { Client, type QueryResult } from 'pg';
import { onTestFinished } from 'vitest';
import { poll } from '../server/poll.ts';

/** Another client of the same database, in the middle of a transaction. */
export interface OtherSession {
  run(statement: string, values?: readonly unknown[]): Promise<QueryResult>;
  /** Whether this work waits for what is locked, together with this many sessions (1); false: it has ended. */
  holdsUp(work: Promise<unknown>, options?: { readonly waiting: number }): Promise<boolean>;
}

export async function otherSession(url: string): Promise<OtherSession> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => await client.end());
  await client.query('begin');
  return {
    run: async (statement, values = []) => await client.query(statement, [...values]),
    holdsUp: async (work, { waiting } = { waiting: 1 }) => {
      let hasEnded = false;
      const end = () => {
        hasEnded = true;
      };
      void work.then(end, end);
      await poll(async () => hasEnded || (await countWaiting(client)) >= waiting, Boolean);
      return !hasEnded;
    },
  };
}

async function countWaiting(client: Client): Promise<number> {
  await client.query('select pg_stat_clear_snapshot()'); // a transaction sees the same activity otherwise
  const { rows } = await client.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
}
