import type { Generated, Selectable } from 'kysely';

export interface UsersTable {
  /** 32 hexadecimal digits. */
  id: string;
  name: string;
  plan: string;
  role: 'operator' | 'user';
  created_at: number;
  disabled_at: number | null;
}

export interface ApiKeysTable {
  /** 24 hexadecimal digits. */
  id: string;
  user_id: string;
  name: string;
  /** SHA-256 of the key, hexadecimal; the key itself is not stored. */
  hash: string;
  last4: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
  /** JSON lists of texts; an empty list allows everything. */
  allowed_ips: string;
  allowed_origins: string;
  allowed_agents: string;
  /** 1: version 1 requests with this key go through the queue of version 2. */
  v2_compat: number;
  /** JSON list of its scopes (protocol/api-key.ts). */
  scopes: string;
  /** New skins that were asked for with it; those that existed already do not count. */
  generations: Generated<number>;
}

/** A person who is signed in to the pages. */
export interface SessionsTable {
  /** 24 hexadecimal digits, shown to its user. */
  id: string;
  /** SHA-256 of the cookie's secret, hexadecimal. */
  hash: string;
  user_id: string;
  /** The API key that the person signed in with; null: a provider, or whoever can write to the store, vouched for it. */
  key_id: string | null;
  /** User-Agent at the sign-in. */
  agent: string;
  created_at: number;
  used_at: number;
  expires_at: number;
}

/** A link that signs its user in once. */
export interface SignInLinksTable {
  /** SHA-256 of the link's secret, hexadecimal. */
  hash: string;
  user_id: string;
  key_id: string | null;
  expires_at: number;
}

/** Who a person is at an OpenID Connect provider, and which user that is here. */
export interface IdentitiesTable {
  issuer: string;
  subject: string;
  user_id: string;
  created_at: number;
}

/** A person who signed in with a provider, and has not said yet which user that is. */
export interface FirstSignInsTable {
  /** SHA-256 of the cookie's secret, hexadecimal. */
  hash: string;
  issuer: string;
  subject: string;
  /** A name for a new user. */
  name: string;
  /** What the claims decide: JSON of openid/claims.ts. */
  rights: string;
  expires_at: number;
}

export type UserRow = Selectable<UsersTable>;
export type ApiKeyRow = Selectable<ApiKeysTable>;
export type SessionRow = Selectable<SessionsTable>;
export type SignInLinkRow = Selectable<SignInLinksTable>;
export type IdentityRow = Selectable<IdentitiesTable>;
export type FirstSignInRow = Selectable<FirstSignInsTable>;
