import type { AccountRow } from '../../../../src/server/store/schema/tables.ts';
import { FROZEN_URL, hex, ownerKey } from '../secrets.ts';
import { GONE } from './job-rows.ts';
import { LATER, MOMENT } from './moments.ts';
import type { Rows } from './rows.ts';
import { skinUuid } from './skin-rows.ts';

/** What the rows need of the keys that are kept beside the stores. */
export interface Keys {
  readonly signingKey: string;
  readonly accountKey: string;
  /** Encrypts the tokens of this game account. */
  readonly seal: (uuid: string) => Promise<string>;
}

const OLD_SKIN = `http://textures.example.org/texture/${hex('old skin')}`;

async function account(name: string, { seal }: Keys, more: Partial<AccountRow> = {}): Promise<AccountRow> {
  const uuid = hex(name, 32);
  return {
    ...{ uuid, name, owner: ownerKey('dora'), shared: 1, state: 'active', secret: await seal(uuid) },
    ...{ original_url: OLD_SKIN, original_variant: 'slim', restores: 1, shows_cape: 1, altered: 0 },
    ...{ cape_checked_at: MOMENT, last_used_at: MOMENT, cool_until: LATER, error_streak: 0, generated: 9 },
    ...{ last_error_code: null, last_error_message: null, last_error_at: null, failed: 2, linked_at: MOMENT },
    ...{ lease_owner: null, lease_until: null, ...more },
  };
}

/** The account wears it, and nobody restores the old skin. */
const TIRED: Partial<AccountRow> = {
  ...{ state: 'needs_login', shared: 0, restores: 0, altered: 1, error_streak: 3, original_url: null },
  ...{ original_variant: null, last_error_code: 'needs_login', last_error_message: 'Sign in "again"' },
  ...{ last_error_at: LATER, lease_owner: `${GONE}#3`, lease_until: LATER },
};

type ServiceTable = 'meta' | 'game_accounts' | 'reports' | 'operator_log' | 'nodes' | 'chores';

/** The service itself, and what its operator sees. */
export async function serviceRows(keys: Keys): Promise<Pick<Rows, ServiceTable>> {
  const report = { reporter: ownerKey('emil'), text: 'look: "Ä" 💎', created_at: MOMENT };
  const act = { at: MOMENT, operator: 'owner' };
  return {
    meta: Object.entries({
      'public-url': FROZEN_URL,
      'local-url': 'http://127.0.0.1:1',
      'last-look': String(MOMENT),
      revocations: '2',
      'signing-key': keys.signingKey,
      'account-key': keys.accountKey,
    }).map(([key, value]) => ({ key, value })),
    game_accounts: [await account('Forge', keys), await account('Anvil', keys, TIRED)],
    reports: [
      { ...report, id: 1, kind: 'skin', subject: skinUuid(5), reason: 'offensive', closed_at: LATER },
      { ...report, id: 2, kind: 'skin', subject: skinUuid(1), reason: 'copyright', closed_at: null },
    ],
    operator_log: [
      { ...act, id: 1, action: 'hide_skin', subject: skinUuid(5), note: 'it\'s "rude"' },
      { ...act, id: 2, action: 'disable_user', subject: 'fay', note: '' },
    ],
    nodes: [{ id: GONE, version: '0.0.9', started_at: MOMENT, seen_at: LATER }],
    chores: [{ name: 'prune', due_at: LATER, lease_owner: GONE, lease_until: LATER }],
  };
}
