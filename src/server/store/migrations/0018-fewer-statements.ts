import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/**
 * A job brings the idempotency key of its request along, and moves the queue's clock when a worker takes it. Both were
 * statements of their own, and every statement costs; as triggers they cannot be forgotten either. A key that is taken
 * makes the insertion fail.
 */
export async function fewerStatements(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('jobs').addColumn('idempotency_key', 'text').execute();
  await sql`create trigger jobs_keep_key after insert on jobs when new.idempotency_key is not null begin
    insert into idempotency_keys (owner, key, job_id) values (new.owner, new.idempotency_key, new.id);
  end`.execute(db);
  await sql`create trigger jobs_move_clock after update of status on jobs when new.status = 'processing' begin
    update queue_clock set turn = new.turn where id = 1 and turn < new.turn;
  end`.execute(db);
}
