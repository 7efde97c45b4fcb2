import { randomBytes } from 'node:crypto';
import type { Db } from '../store/store.ts';
import type { UserRow } from '../store/tables.ts';
import { ensureUser } from '../store/users.ts';

/** The person who runs the service: the local user of the embedded one, the operator of `serve`. */
const OWNER_NAME = 'owner';

export async function ensureOwner(db: Db, now: number): Promise<UserRow> {
  return await ensureUser(db, newUser(OWNER_NAME, now, { plan: 'owner', role: 'operator' }));
}

export async function ensureNamedUser(db: Db, name: string, now: number): Promise<UserRow> {
  return await ensureUser(db, newUser(name, now, { plan: 'free', role: 'user' }));
}

function newUser(name: string, now: number, rights: Pick<UserRow, 'plan' | 'role'>): UserRow {
  return { id: randomBytes(16).toString('hex'), name, created_at: now, ...rights };
}
