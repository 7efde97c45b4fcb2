import { findUserByName } from '../../../src/server/store/sessions.ts';
import { openOwnStore } from './running-server.ts';

/** The provider of all identities that are linked here. */
export const ISSUER = 'https://id.example.org';

/** Links a person at the provider to a user, as the first sign-in does. */
export async function linkIdentity(
  { dataDir }: { readonly dataDir: string },
  name: string,
  subject: string,
): Promise<void> {
  const { db } = await openOwnStore(dataDir);
  const user = await findUserByName(db, name);
  if (!user) throw new Error(`No user ${name}.`);
  const row = { issuer: ISSUER, subject, user_id: user.id, created_at: 0 };
  await db.insertInto('identities').values(row).execute();
}
