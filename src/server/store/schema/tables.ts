import { type Insertable, type Selectable, sql } from 'kysely';
import type { JobStatus } from '../../../protocol/job.ts';
import type { OperatorAction, ReportReason } from '../../../protocol/moderation.ts';
import type { SkinVisibility } from '../../../protocol/skin.ts';
import {
  bigint,
  byDefault,
  bytes,
  column,
  int,
  key,
  numbered,
  oneOf,
  optional,
  orNull,
  real,
  references,
  row,
  type TableOf,
  text,
  unique,
} from './columns.ts';

/** The rules under which a job was accepted: those of the queue, or those of version 1. */
export type Via = 'queue' | 'v1';

/**
 * The state of an account: `suspended` and `needs_login` require action by its owner, `paused` by the user who linked
 * it.
 */
export type AccountState = 'active' | 'paused' | 'suspended' | 'needs_login';

/** All tables but `meta`. `owner` is a caller's key, see service/callers.ts. */
export const TABLES = {
  users: {
    /** 32 hexadecimal digits. */
    id: key,
    name: unique(text),
    plan: text,
    role: oneOf<'operator' | 'user'>(),
    created_at: bigint,
    disabled_at: orNull(bigint),
    /** 1: the user wishes the name to be shown with public skins and sets. */
    shows_name: byDefault(int, 0),
  },
  api_keys: {
    /** 24 hexadecimal digits. */
    id: key,
    user_id: references(text, 'users (id)'),
    name: text,
    /** SHA-256 of the key, hexadecimal; the key itself is not stored. */
    hash: unique(text),
    last4: text,
    created_at: bigint,
    last_used_at: orNull(bigint),
    revoked_at: orNull(bigint),
    /** JSON lists of texts; an empty list allows everything. */
    allowed_ips: column<string>("text default '[]' not null"),
    allowed_origins: column<string>("text default '[]' not null"),
    allowed_agents: column<string>("text default '[]' not null"),
    /** 1: version 1 requests with this key go through the queue of version 2. */
    v2_compat: column<number>('integer default 0 not null'),
    /** JSON list of its scopes (protocol/api-key.ts). */
    scopes: column<string>(`text default '["read","generate","skins"]' not null`),
    /** New skins requested with it; existing ones do not count. */
    generations: byDefault(bigint, 0),
  },
  /** A person signed in to the pages. */
  sessions: {
    /** 24 hexadecimal digits, shown to its user. */
    id: key,
    /** SHA-256 of the cookie's secret, hexadecimal. */
    hash: unique(text),
    user_id: text,
    /**
     * The API key that the person signed in with; null: a single sign-on provider, or someone who can write to the
     * store.
     */
    key_id: orNull(text),
    /** User-Agent at the sign-in. */
    agent: text,
    created_at: bigint,
    used_at: bigint,
    expires_at: bigint,
  },
  /** A single-use sign-in link. */
  sign_in_links: {
    /** SHA-256 of the link's secret, hexadecimal. */
    hash: key,
    user_id: text,
    key_id: orNull(text),
    expires_at: bigint,
  },
  /** A person at an OpenID Connect provider, and the linked user. */
  identities: {
    issuer: text,
    subject: text,
    user_id: text,
    created_at: bigint,
  },
  /** A person who signed in with a provider for the first time and has not chosen an account yet. */
  first_sign_ins: {
    /** SHA-256 of the cookie's secret, hexadecimal. */
    hash: key,
    issuer: text,
    subject: text,
    /** A name for a new user. */
    name: text,
    /** The rights from the claims: JSON of openid/claims.ts. */
    rights: text,
    expires_at: bigint,
  },
  /** A picture, named by its pixel hash, in canonical encoding. */
  textures: {
    hash: key,
    width: int,
    height: int,
    /** What a skin looks like, and keys by which similar ones are found (skin/fingerprint.ts). Null for capes. */
    fingerprint: optional(bytes),
    head_band: optional(text),
    body_band: optional(text),
    light_band: optional(text),
    png: bytes,
    created_at: bigint,
  },
  /** A signed value. `identity` states what was to be signed, by whom and for whom (service/skins/identity.ts). */
  texture_data: {
    identity: key,
    texture_hash: references(text, 'textures (hash)'),
    variant: oneOf<'classic' | 'slim'>(),
    value: text,
    signature: text,
    /** Address of the texture. */
    url: text,
    generator_version: text,
    /** The signer: a game account's UUID, or the id of this service's key. */
    account: text,
    server: text,
    worker: text,
    created_at: bigint,
    /** Milliseconds that it took. */
    duration: int,
    cape_hash: orNull(text),
    cape_url: orNull(text),
  },
  /** A caller's record of a skin; several may share one texture_data. */
  skins: {
    id: numbered,
    uuid: unique(text),
    owner: text,
    identity: references(text, 'texture_data (identity)'),
    name: orNull(text),
    visibility: oneOf<SkinVisibility>(),
    views: int,
    created_at: bigint,
    /** Its visibility before an operator hid it and so made it private; null: not hidden. */
    hidden_from: optional(oneOf<SkinVisibility>()),
    /** Number of users who like it. */
    likes: byDefault(int, 0),
  },
  /** The tags of a skin. */
  skin_tags: {
    tag: text,
    skin_id: references(row, 'skins (id) on delete cascade'),
  },
  /** The users who like a skin. */
  skin_likes: {
    skin_id: references(row, 'skins (id) on delete cascade'),
    owner: text,
  },
  /** Views of a skin on one of the last days (days since the epoch). */
  skin_days: {
    skin_id: references(row, 'skins (id) on delete cascade'),
    day: bigint,
    views: int,
  },
  /** The viewers of a skin in an hour of the clock (hours since the epoch). */
  skin_views: {
    skin_id: references(row, 'skins (id) on delete cascade'),
    viewer: text,
    hour: bigint,
  },
  skin_words: {
    word: text,
    skin_id: references(row, 'skins (id) on delete cascade'),
  },
  /** A named group of skins, in its owner's order. */
  sets: {
    id: numbered,
    /** 32 hexadecimal digits. */
    uuid: unique(text),
    owner: text,
    name: text,
    /** The name as an address has it. No two sets of an owner, and no two public sets, share it. */
    slug: text,
    /** The usual namespace of its packs, after its first name: commands contain it. */
    namespace: text,
    visibility: oneOf<SkinVisibility>(),
    created_at: bigint,
    changed_at: bigint,
    /** As for skins. */
    hidden_from: optional(oneOf<SkinVisibility>()),
  },
  /** Every name under which a set has been public: game servers may have the address of its pack. */
  set_names: {
    slug: key,
    /** Who may give it to a set; null: nobody, because the account was deleted. */
    owner: orNull(text),
    /** The set to which it leads; null: it was deleted. */
    set_id: references(orNull(row), 'sets (id) on delete set null'),
  },
  set_skins: {
    set_id: references(row, 'sets (id) on delete cascade'),
    skin_id: references(row, 'skins (id) on delete cascade'),
    /** Order within the set, lowest first. */
    position: int,
    /** What the set's packs call the skin, since one contained it. */
    pack_id: optional(text),
  },
  capes: {
    /** 32 hexadecimal digits. */
    uuid: key,
    alias: unique(text),
    texture_hash: references(text, 'textures (hash)'),
    support: oneOf<'public' | 'none'>(),
    created_at: bigint,
  },
  /** A player name that a user has, and what it wears: copied when it was chosen, so that it stays whatever becomes of the skin. */
  wardrobe: {
    /** In lower case. */
    name: key,
    /** As it was written last. */
    spelling: text,
    /** UUID of the player in offline mode, which depends on the spelling: 32 hexadecimal digits. */
    player_id: text,
    /** The owner key of the user who has the name. */
    owner: text,
    /** The skin that was chosen; it may have been deleted since. */
    skin_uuid: orNull(text),
    /** Null, as the four that follow: the name wears nothing. */
    texture_hash: references(orNull(text), 'textures (hash)'),
    variant: orNull(oneOf<'classic' | 'slim'>()),
    /** Null also for a skin without a cape. */
    cape_hash: orNull(text),
    value: orNull(text),
    signature: orNull(text),
    changed_at: bigint,
  },
  /** What a name has worn: its last ten changes. */
  wardrobe_history: {
    /** Order of the changes. */
    id: numbered,
    /** In lower case. */
    name: references(text, 'wardrobe (name) on delete cascade'),
    at: bigint,
    /** The owner key of the user who made the change. */
    changed_by: text,
    skin_uuid: orNull(text),
    texture_hash: orNull(text),
    cape_hash: orNull(text),
  },
  /** A player whose signed profile was looked up, with the resulting data. */
  players: {
    /** 32 hexadecimal digits. */
    id: key,
    /** Lower case. */
    name: text,
    identity: text,
    looked_up_at: bigint,
  },
  jobs: {
    /** Order of acceptance. */
    id: numbered,
    uuid: unique(text),
    owner: text,
    status: oneOf<JobStatus>(),
    /** Same owner and same request_key while pending: the same job. */
    request_key: text,
    identity: text,
    texture_hash: references(text, 'textures (hash)'),
    variant: oneOf<'classic' | 'slim'>(),
    visibility: oneOf<SkinVisibility>(),
    name: orNull(text),
    skin_uuid: orNull(text),
    error_code: orNull(text),
    error_message: orNull(text),
    attempts: int,
    /** Earliest time a worker may take it (pushed back after a failed attempt). */
    run_at: bigint,
    lease_owner: orNull(text),
    lease_until: orNull(bigint),
    created_at: bigint,
    finished_at: orNull(bigint),
    via: column<Via>("text default 'queue' not null"),
    /** The owner's turn, in the queue's own time (fairness.ts): lower ones are taken first. */
    turn: column<number>('real default 0 not null'),
    /** Maximum number of the owner's jobs processed at the same time. */
    concurrency: column<number>('integer default 1000 not null'),
    /** Texture of the cape that goes with the skin. */
    cape_hash: orNull(text),
    /** The same as `concurrency` for capacity that is otherwise idle; has no effect if it is less. */
    burst: column<number>('integer default 0 not null'),
    /** When a worker last took it. */
    started_at: orNull(bigint),
    /** Key of the request that made the job. A trigger adds it to the idempotency keys. */
    idempotency_key: orNull(text),
    /** The source in words that its owner recognizes: a file name, an address, a player; null: unknown. */
    source: orNull(text),
  },
  /** The job of an owner's request with this `Idempotency-Key`. */
  idempotency_keys: {
    owner: text,
    key: text,
    job_id: references(row, 'jobs (id) on delete cascade'),
  },
  /** An address to notify of a job's end. */
  callbacks: {
    id: numbered,
    /** Identifies the callback to its receiver, the same on each attempt. */
    uuid: unique(text),
    job_id: references(row, 'jobs (id) on delete cascade'),
    /** The API key of the request, whose secret signs the webhook. */
    key_id: text,
    url: text,
    /** Host of the URL, with its port. */
    host: text,
    /** Number of deliveries started. */
    attempts: int,
    /**
     * When the next delivery may start; null while the job has not ended. During a delivery: when it is considered lost,
     * so that a killed process needs no cleanup.
     */
    run_at: orNull(bigint),
    lease_owner: orNull(text),
    created_at: bigint,
    /** When it was delivered or abandoned. */
    done_at: orNull(bigint),
  },
  /** The facts about a caller that are kept from one job to the next. */
  callers: {
    owner: key,
    /** The turn of its next job, in the queue's own time, see `jobs.turn`. */
    turn: real,
    /** When its last job was accepted. */
    spent_at: bigint,
    /** When its last generation of version 1 was accepted; 0: never. */
    generated_at: bigint,
    /** Its spending in the last minute and the last hour: JSON of `Spent` (fairness.ts). */
    minute: text,
    hour: text,
  },
  queue_clock: {
    id: column<number>('integer primary key'),
    turn: real,
  },
  /** A submission to the service that makes the skins, until its skin data is stored. */
  upstream_jobs: {
    /** Identity of the skin data; it includes the service's address. */
    identity: key,
    /** Its job on the service; null: unknown whether the submission arrived. */
    job_id: orNull(text),
    idempotency_key: text,
    /** Newest job seen before on the service, by its clock: the submission's own cannot be older. */
    mark: bigint,
    submitted_at: bigint,
    /** Worker that sends the request; null: sent before this was recorded. */
    sender: orNull(text),
    /** Latest end of the request. */
    sending_until: column<number>('bigint default 0 not null'),
    /** When the service lists its job, if it arrived; null: the request has not ended, as far as is known. */
    settles_at: orNull(bigint),
  },
  /** A game account for making skins. */
  game_accounts: {
    /** UUID of the account: 32 hexadecimal digits. */
    uuid: key,
    name: text,
    state: oneOf<AccountState>(),
    /** Its tokens, encrypted (accounts/held-account.ts). */
    secret: text,
    /** The skin it wore before the first of ours; null: a default one. */
    original_url: orNull(text),
    original_variant: orNull(oneOf<'classic' | 'slim'>()),
    /** 1: that skin is restored when the account has been idle for a while. */
    restores: int,
    /** 1: its owner agrees to its cape in results. */
    shows_cape: int,
    /** 1: it wears one of our skins. */
    altered: int,
    /** When it was last seen to wear no cape. */
    cape_checked_at: bigint,
    /** When a change of its skin last started or ended; 0: never. */
    last_used_at: bigint,
    cool_until: bigint,
    /** Number of failed uses in a row. */
    error_streak: int,
    last_error_code: orNull(text),
    last_error_message: orNull(text),
    last_error_at: orNull(bigint),
    generated: int,
    failed: int,
    linked_at: bigint,
    lease_owner: orNull(text),
    lease_until: orNull(bigint),
    /** Owner of the jobs of the user who linked it. Only that user's jobs use it, unless it is shared. */
    owner: column<string>("text default '' not null"),
    /** 1: its owner agrees that it makes skins for everyone. */
    shared: column<number>('integer default 0 not null'),
  },
  /** A complaint about a skin. */
  reports: {
    /** Order of the reports. */
    id: numbered,
    /** What the report is about. */
    kind: oneOf<'skin' | 'set'>(),
    /** UUID of the skin or set. */
    subject: text,
    /** The owner key of its sender. */
    reporter: text,
    reason: oneOf<ReportReason>(),
    text: text,
    created_at: bigint,
    /** When an operator decided on it; null: not yet. */
    closed_at: orNull(bigint),
  },
  /** An image that the service refuses, by its pixel hash. */
  blocked_images: {
    hash: key,
    note: text,
    /** Name of the operator. */
    blocked_by: text,
    blocked_at: bigint,
  },
  /** An operator's action. */
  operator_log: {
    /** Order of the actions. */
    id: numbered,
    at: bigint,
    /** Name of the operator. */
    operator: text,
    action: oneOf<OperatorAction>(),
    /** UUID of a skin, hash of an image, number of a report or name of a user. */
    subject: text,
    note: text,
  },
  /** A process that uses a store on PostgreSQL. Its times are by the database's clock. */
  nodes: {
    /** The holder of its leases (queue/leases.ts). */
    id: key,
    version: text,
    started_at: bigint,
    seen_at: bigint,
  },
  /** Regular work that one process at a time does for all. */
  chores: {
    name: key,
    /** When it is due again. */
    due_at: bigint,
    lease_owner: orNull(text),
    lease_until: orNull(bigint),
  },
} as const;

export type Tables = { [Name in keyof typeof TABLES]: TableOf<(typeof TABLES)[Name]> } & {
  meta: { key: string; value: string };
};

export type UserRow = Selectable<Tables['users']>;
export type ApiKeyRow = Selectable<Tables['api_keys']>;
export type SessionRow = Selectable<Tables['sessions']>;
export type SignInLinkRow = Selectable<Tables['sign_in_links']>;
export type IdentityRow = Selectable<Tables['identities']>;
export type FirstSignInRow = Selectable<Tables['first_sign_ins']>;
export type WardrobeRow = Selectable<Tables['wardrobe']>;
export type WardrobeHistoryRow = Selectable<Tables['wardrobe_history']>;
export type TextureRow = Selectable<Tables['textures']>;
export type NewTexture = Insertable<Tables['textures']>;
export type TextureDataRow = Selectable<Tables['texture_data']>;
export type SkinRow = Selectable<Tables['skins']>;
export type SkinViewRow = Selectable<Tables['skin_views']>;
export type SetRow = Selectable<Tables['sets']>;
export type SetNameRow = Selectable<Tables['set_names']>;
export type CapeRow = Selectable<Tables['capes']>;
export type PlayerRow = Selectable<Tables['players']>;
export type JobRow = Selectable<Tables['jobs']>;
export type CallbackRow = Selectable<Tables['callbacks']>;
export type UpstreamJobRow = Selectable<Tables['upstream_jobs']>;
export type AccountRow = Selectable<Tables['game_accounts']>;
export type ReportRow = Selectable<Tables['reports']>;
export type BlockedImageRow = Selectable<Tables['blocked_images']>;
export type OperatorLogRow = Selectable<Tables['operator_log']>;
export type NodeRow = Selectable<Tables['nodes']>;

// The same expressions as in the partial indices (first-schema.ts); otherwise SQLite does not use those.
export const PENDING = sql<boolean>`status in ('waiting', 'processing')`;
export const WAITING = sql<boolean>`status = 'waiting'`;
export const PROCESSING = sql<boolean>`status = 'processing'`;
export const COMPLETED = sql<boolean>`status = 'completed'`;
export const FAILED = sql<boolean>`status = 'failed'`;
export const FINISHED = sql<boolean>`finished_at is not null`;
