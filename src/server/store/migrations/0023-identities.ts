import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** People who sign in with an OpenID Connect provider. */
export async function identities(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('identities')
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('identities_primary', ['issuer', 'subject'])
    .execute();
  await db.schema
    .createTable('first_sign_ins')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('rights', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
}
