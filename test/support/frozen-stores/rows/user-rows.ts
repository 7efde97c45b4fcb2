import { SCOPES } from '../../../../src/protocol/api-key.ts';
import { hashSecret } from '../../../../src/server/service/authentication.ts';
import type { ApiKeyRow, UserRow } from '../../../../src/server/store/schema/tables.ts';
import { FROZEN_KEYS, hex, LINK_SECRET, SESSION_SECRET, type UserName, userId } from '../secrets.ts';
import { LATER, MOMENT, NEVER } from './moments.ts';
import type { Rows } from './rows.ts';

function user(name: UserName, rights: Partial<UserRow> = {}): UserRow {
  return {
    ...{ id: userId(name), name, plan: 'free', role: 'user', created_at: MOMENT, disabled_at: null },
    shows_name: name === 'dora' ? 1 : 0,
    ...rights,
  };
}

export function keyId(name: string): string {
  return hex(`id of ${name}`, 24);
}

function key(name: string, of: UserName, secret: string, more: Partial<ApiKeyRow> = {}): ApiKeyRow {
  return {
    ...{ id: keyId(name), user_id: userId(of), name, hash: hashSecret(secret), last4: secret.slice(-4) },
    ...{ created_at: MOMENT, last_used_at: LATER, revoked_at: null, v2_compat: 0, generations: 5 },
    ...{ allowed_ips: '[]', allowed_origins: '[]', allowed_agents: '[]' },
    scopes: JSON.stringify(SCOPES.filter((scope) => of === 'owner' || scope !== 'operator')),
    ...more,
  };
}

const BOUND: Partial<ApiKeyRow> = {
  allowed_ips: '["203.0.113.0/24","2001:db8::/32"]',
  allowed_origins: '["https://shop.example.org"]',
  allowed_agents: '["Shop"]',
  v2_compat: 1,
  scopes: '["read","generate"]',
  last_used_at: null,
};

type UserTable = 'users' | 'api_keys' | 'sessions' | 'sign_in_links' | 'identities' | 'first_sign_ins';

/** Those who use the service, and how they come in. */
export function userRows(): Pick<Rows, UserTable> {
  const dora = { user_id: userId('dora'), key_id: keyId('dora') };
  const agent = 'Mozilla/5.0 (X11; "Ä" 💎)';
  const session = { ...dora, agent, created_at: MOMENT, used_at: MOMENT, expires_at: NEVER };
  return {
    users: [
      user('owner', { plan: 'owner', role: 'operator' }),
      user('dora', { plan: 'upgrading' }),
      user('emil'),
      user('fay', { disabled_at: LATER }),
    ],
    api_keys: [
      ...(['owner', 'dora', 'emil', 'fay'] as const).map((name) => key(name, name, FROZEN_KEYS[name])),
      key('of the shop', 'dora', 'the shop has it', BOUND),
      key('lost, "it\'s" 💎', 'dora', 'nobody has it', { revoked_at: LATER }),
    ],
    sessions: [
      { ...session, id: hex('session', 24), hash: hashSecret(SESSION_SECRET) },
      { ...session, id: hex('session by link', 24), hash: hashSecret('gone'), key_id: null },
    ],
    sign_in_links: [
      { ...dora, hash: hashSecret(LINK_SECRET), expires_at: NEVER },
      { ...dora, hash: hashSecret('link of nobody'), key_id: null, expires_at: NEVER },
    ],
    identities: [
      { issuer: 'https://id.example.org', subject: 'dora|7', user_id: dora.user_id, created_at: MOMENT },
      { issuer: 'https://other.example.org', subject: 'd', user_id: dora.user_id, created_at: LATER },
    ],
    first_sign_ins: [
      {
        ...{ hash: hashSecret('cookie of gus'), issuer: 'https://id.example.org', subject: 'gus|9' },
        ...{ name: 'gus', rights: '{"plan":"free","isOperator":false}', expires_at: NEVER },
      },
    ],
  };
}
