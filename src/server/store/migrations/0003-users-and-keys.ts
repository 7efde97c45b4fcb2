import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Users may be disabled; a key may be bound to places and agents, and speak version 1 through the queue. */
export async function usersAndKeys(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('users').addColumn('disabled_at', 'bigint').execute();
  for (const list of ['allowed_ips', 'allowed_origins', 'allowed_agents']) {
    await db.schema
      .alterTable('api_keys')
      .addColumn(list, 'text', (c) => c.notNull().defaultTo('[]'))
      .execute();
  }
  await db.schema
    .alterTable('api_keys')
    .addColumn('v2_compat', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
