import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/**
 * Keys have scopes. Those that are there keep what they could do, but for keys that are bound to origins of web
 * pages: these are public by nature, and must not manage keys.
 */
export async function keyScopes(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('api_keys')
    .addColumn('scopes', 'text', (c) => c.notNull().defaultTo('["read","generate","skins"]'))
    .execute();
  const all = sql<string>`CASE (SELECT role FROM users WHERE users.id = api_keys.user_id)
    WHEN 'operator' THEN '["read","generate","skins","account","operator"]'
    ELSE '["read","generate","skins","account"]' END`;
  await db.updateTable('api_keys').set({ scopes: all }).where('allowed_origins', '=', '[]').execute();
}
