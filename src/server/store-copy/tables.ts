import type { Tables } from '../store/schema/tables.ts';

export type TableName = keyof Tables;

/**
 * What identifies the rows of each table; a table comes after those that its rows refer to. `false`: it is about the
 * processes that use the store, and not copied.
 */
const KEYS = {
  meta: ['key'],
  users: ['id'],
  api_keys: ['id'],
  identities: ['issuer', 'subject'],
  first_sign_ins: ['hash'],
  sessions: ['id'],
  sign_in_links: ['hash'],
  textures: ['hash'],
  texture_data: ['identity'],
  skins: ['id'],
  skin_words: ['word', 'skin_id'],
  skin_views: ['skin_id', 'viewer', 'hour'],
  capes: ['uuid'],
  players: ['id'],
  jobs: ['id'],
  idempotency_keys: ['owner', 'key'],
  callbacks: ['id'],
  callers: ['owner'],
  queue_clock: ['id'],
  upstream_jobs: ['identity'],
  game_accounts: ['uuid'],
  reports: ['id'],
  blocked_images: ['hash'],
  operator_log: ['id'],
  nodes: false,
  chores: false,
} as const satisfies { readonly [Name in TableName]: readonly (keyof Tables[Name])[] | false };

/** Those whose rows have numbers in the order of their insertion: the next one must not have a number again. */
export const NUMBERED = [
  'skins',
  'jobs',
  'callbacks',
  'reports',
  'operator_log',
] as const satisfies TableName[];

/** Facts that are about one store, and not about what is in it. */
export const OWN_FACTS = ['schema', 'oldest-reader', 'copying-from', 'address-key', 'local-url'] as const;

/** Counts of jobs in progress that the triggers of PostgreSQL keep. */
export const COUNTED_COLUMNS: readonly string[] = ['processing', 'burst'];

/** A table and what identifies its rows. */
export interface CopiedTable {
  readonly name: TableName;
  readonly key: readonly string[];
}

/** Those that are copied, in this order. */
export const COPIED: readonly CopiedTable[] = Object.entries(KEYS).flatMap(([name, key]) =>
  key === false ? [] : [{ name: name as TableName, key }],
);
