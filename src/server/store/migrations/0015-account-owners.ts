import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/**
 * Game accounts belong to users. Those that are linked already are the operator's, who was the only one to link any,
 * and make everybody's skins as before.
 */
export async function accountOwners(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('game_accounts')
    .addColumn('owner', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema
    .alterTable('game_accounts')
    .addColumn('shared', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  const operator = sql<string>`coalesce((SELECT 'user:' || id FROM users WHERE role = 'operator'
    ORDER BY created_at, id LIMIT 1), '')`;
  await db.updateTable('game_accounts').set({ owner: operator, shared: 1 }).execute();
}
