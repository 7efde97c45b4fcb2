import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** The people who sign in as a user are listed, the first one first, without a look at all others. */
export async function identitiesByUser(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createIndex('identities_by_user')
    .on('identities')
    .columns(['user_id', 'created_at', 'issuer', 'subject'])
    .execute();
}
