import { type ColumnType, type Generated, type Insertable, type Selectable, sql } from 'kysely';
import type { JobStatus } from '../../../protocol/job.ts';
import type { OperatorAction, ReportReason } from '../../../protocol/moderation.ts';
import type { SkinVisibility } from '../../../protocol/skin.ts';

export interface UsersTable {
  /** 32 hexadecimal digits. */
  id: string;
  name: string;
  plan: string;
  role: 'operator' | 'user';
  created_at: number;
  disabled_at: number | null;
  /** 1: the user wishes the name to be shown with public skins and sets. */
  shows_name: Generated<number>;
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
  /** New skins requested with it; existing ones do not count. */
  generations: Generated<number>;
}

/** A person signed in to the pages. */
export interface SessionsTable {
  /** 24 hexadecimal digits, shown to its user. */
  id: string;
  /** SHA-256 of the cookie's secret, hexadecimal. */
  hash: string;
  user_id: string;
  /**
   * The API key that the person signed in with; null: a single sign-on provider, or someone who can write to the
   * store.
   */
  key_id: string | null;
  /** User-Agent at the sign-in. */
  agent: string;
  created_at: number;
  used_at: number;
  expires_at: number;
}

/** A single-use sign-in link. */
export interface SignInLinksTable {
  /** SHA-256 of the link's secret, hexadecimal. */
  hash: string;
  user_id: string;
  key_id: string | null;
  expires_at: number;
}

/** A person at an OpenID Connect provider, and the linked user. */
export interface IdentitiesTable {
  issuer: string;
  subject: string;
  user_id: string;
  created_at: number;
}

/** A person who signed in with a provider for the first time and has not chosen an account yet. */
export interface FirstSignInsTable {
  /** SHA-256 of the cookie's secret, hexadecimal. */
  hash: string;
  issuer: string;
  subject: string;
  /** A name for a new user. */
  name: string;
  /** The rights from the claims: JSON of openid/claims.ts. */
  rights: string;
  expires_at: number;
}

export type UserRow = Selectable<UsersTable>;
export type ApiKeyRow = Selectable<ApiKeysTable>;
export type SessionRow = Selectable<SessionsTable>;
export type SignInLinkRow = Selectable<SignInLinksTable>;
export type IdentityRow = Selectable<IdentitiesTable>;
export type FirstSignInRow = Selectable<FirstSignInsTable>;

/** A picture, named by its pixel hash, in canonical encoding. */
export interface TexturesTable {
  hash: string;
  width: number;
  height: number;
  /** What a skin looks like, and keys by which similar ones are found (skin/fingerprint.ts). Null for capes. */
  fingerprint: Optional<Uint8Array>;
  head_band: Optional<string>;
  body_band: Optional<string>;
  light_band: Optional<string>;
  png: Uint8Array;
  created_at: number;
}

/** Null for textures stored without it. */
type Optional<Value> = ColumnType<Value | null, Value | null | undefined>;

/** A signed value. `identity` states what was to be signed, by whom and for whom (service/skins/identity.ts). */
export interface TextureDataTable {
  identity: string;
  texture_hash: string;
  variant: 'classic' | 'slim';
  value: string;
  signature: string;
  /** Address of the texture. */
  url: string;
  generator_version: string;
  /** The signer: a game account's UUID, or the id of this service's key. */
  account: string;
  server: string;
  worker: string;
  created_at: number;
  /** Milliseconds that it took. */
  duration: number;
  cape_hash: string | null;
  cape_url: string | null;
}

/** A caller's record of a skin; several may share one texture_data. */
export interface SkinsTable {
  id: Generated<number>;
  uuid: string;
  owner: string;
  identity: string;
  name: string | null;
  visibility: SkinVisibility;
  views: number;
  created_at: number;
  /** Its visibility before an operator hid it and so made it private; null: not hidden. */
  hidden_from: ColumnType<SkinVisibility | null, SkinVisibility | null | undefined>;
  /** Number of users who like it. */
  likes: Generated<number>;
}

/** The tags of a skin. */
export interface SkinTagsTable {
  tag: string;
  skin_id: number;
}

/** The users who like a skin. */
export interface SkinLikesTable {
  skin_id: number;
  owner: string;
}

/** Views of a skin on one of the last days (days since the epoch). */
export interface SkinDaysTable {
  skin_id: number;
  day: number;
  views: number;
}

/** The viewers of a skin in an hour of the clock (hours since the epoch). */
export interface SkinViewsTable {
  skin_id: number;
  viewer: string;
  hour: number;
}

/** A named group of skins, in its owner's order. */
export interface SetsTable {
  id: Generated<number>;
  /** 32 hexadecimal digits. */
  uuid: string;
  owner: string;
  name: string;
  /** The name as an address has it. No two sets of an owner, and no two public sets, share it. */
  slug: string;
  /** The usual namespace of its packs, after its first name: commands contain it. */
  namespace: string;
  visibility: SkinVisibility;
  created_at: number;
  changed_at: number;
  /** As for skins. */
  hidden_from: ColumnType<SkinVisibility | null, SkinVisibility | null | undefined>;
}

export interface SetSkinsTable {
  set_id: number;
  skin_id: number;
  /** Order within the set, lowest first. */
  position: number;
  /** What the set's packs call the skin, since one contained it. */
  pack_id: ColumnType<string | null, string | null | undefined>;
}

/** Every name under which a set has been public: game servers may have the address of its pack. */
export interface SetNamesTable {
  slug: string;
  /** Who may give it to a set; null: nobody, because the account was deleted. */
  owner: string | null;
  /** The set to which it leads; null: it was deleted. */
  set_id: number | null;
}

export interface CapesTable {
  /** 32 hexadecimal digits. */
  uuid: string;
  alias: string;
  texture_hash: string;
  support: 'public' | 'none';
  created_at: number;
}

/** A player name that a user has, and what it wears: copied when it was chosen, so that it stays whatever becomes of the skin. */
export interface WardrobeTable {
  /** In lower case. */
  name: string;
  /** As it was written last. */
  spelling: string;
  /** UUID of the player in offline mode, which depends on the spelling: 32 hexadecimal digits. */
  player_id: string;
  /** The owner key of the user who has the name. */
  owner: string;
  /** The skin that was chosen; it may have been deleted since. */
  skin_uuid: string | null;
  /** Null, as the four that follow: the name wears nothing. */
  texture_hash: string | null;
  variant: 'classic' | 'slim' | null;
  /** Null also for a skin without a cape. */
  cape_hash: string | null;
  value: string | null;
  signature: string | null;
  changed_at: number;
}

export type WardrobeRow = Selectable<WardrobeTable>;

/** What a name has worn: its last ten changes. */
export interface WardrobeHistoryTable {
  /** Order of the changes. */
  id: Generated<number>;
  /** In lower case. */
  name: string;
  at: number;
  /** The owner key of the user who made the change. */
  changed_by: string;
  skin_uuid: string | null;
  texture_hash: string | null;
  cape_hash: string | null;
}

export type WardrobeHistoryRow = Selectable<WardrobeHistoryTable>;

/** A player whose signed profile was looked up, with the resulting data. */
export interface PlayersTable {
  /** 32 hexadecimal digits. */
  id: string;
  /** Lower case. */
  name: string;
  identity: string;
  looked_up_at: number;
}

export type TextureRow = Selectable<TexturesTable>;
export type NewTexture = Insertable<TexturesTable>;
export type TextureDataRow = Selectable<TextureDataTable>;
export type SkinRow = Selectable<SkinsTable>;
export type SkinViewRow = Selectable<SkinViewsTable>;
export type SetRow = Selectable<SetsTable>;
export type SetNameRow = Selectable<SetNamesTable>;
export type CapeRow = Selectable<CapesTable>;
export type PlayerRow = Selectable<PlayersTable>;

export interface JobsTable {
  /** Order of acceptance. */
  id: Generated<number>;
  uuid: string;
  owner: string;
  status: JobStatus;
  /** Same owner and same request_key while pending: the same job. */
  request_key: string;
  identity: string;
  texture_hash: string;
  variant: 'classic' | 'slim';
  visibility: SkinVisibility;
  name: string | null;
  skin_uuid: string | null;
  error_code: string | null;
  error_message: string | null;
  attempts: number;
  /** Earliest time a worker may take it (pushed back after a failed attempt). */
  run_at: number;
  lease_owner: string | null;
  lease_until: number | null;
  /** When a worker last took it. */
  started_at: number | null;
  created_at: number;
  finished_at: number | null;
  via: Via;
  /** The owner's turn, in the queue's own time (fairness.ts): lower ones are taken first. */
  turn: number;
  /** Maximum number of the owner's jobs processed at the same time. */
  concurrency: number;
  /** The same for capacity that is otherwise idle; if less than `concurrency`, that limit applies. */
  burst: number;
  /** Texture of the cape that goes with the skin. */
  cape_hash: string | null;
  /** Key of the request that made the job. A trigger adds it to the idempotency keys. */
  idempotency_key: string | null;
  /** The source in words that its owner recognizes: a file name, an address, a player; null: unknown. */
  source: string | null;
}

/** The rules under which a job was accepted: those of the queue, or those of version 1. */
export type Via = 'queue' | 'v1';

/** The job of an owner's request with this `Idempotency-Key`. */
export interface IdempotencyKeysTable {
  owner: string;
  key: string;
  job_id: number;
}

/** The facts about a caller that are kept from one job to the next. */
export interface CallersTable {
  owner: string;
  /** The turn of its next job, in the queue's own time, see JobsTable.turn. */
  turn: number;
  /** When its last job was accepted. */
  spent_at: number;
  /** When its last generation of version 1 was accepted; 0: never. */
  generated_at: number;
  /** Its spending in the last minute and the last hour: JSON of `Spent` (fairness.ts). */
  minute: string;
  hour: string;
}

/** A submission to the service that makes the skins, until its skin data is stored. */
export interface UpstreamJobsTable {
  /** Identity of the skin data; it includes the service's address. */
  identity: string;
  /** Its job on the service; null: unknown whether the submission arrived. */
  job_id: string | null;
  idempotency_key: string;
  /** Newest job seen before on the service, by its clock: the submission's own cannot be older. */
  mark: number;
  submitted_at: number;
  /** Worker that sends the request; null: sent before this was recorded. */
  sender: string | null;
  /** Latest end of the request. */
  sending_until: number;
  /** When the service lists its job, if it arrived; null: the request has not ended, as far as is known. */
  settles_at: number | null;
}

/** An address to notify of a job's end. */
export interface CallbacksTable {
  id: Generated<number>;
  /** Identifies the callback to its receiver, the same on each attempt. */
  uuid: string;
  job_id: number;
  /** The API key of the request, whose secret signs the webhook. */
  key_id: string;
  url: string;
  /** Host of the URL, with its port. */
  host: string;
  /** Number of deliveries started. */
  attempts: number;
  /**
   * When the next delivery may start; null while the job has not ended. During a delivery: when it is considered lost,
   * so that a killed process needs no cleanup.
   */
  run_at: number | null;
  lease_owner: string | null;
  created_at: number;
  /** When it was delivered or abandoned. */
  done_at: number | null;
}

export type JobRow = Selectable<JobsTable>;
export type CallbackRow = Selectable<CallbacksTable>;
export type UpstreamJobRow = Selectable<UpstreamJobsTable>;

/**
 * The state of an account: `suspended` and `needs_login` require action by its owner, `paused` by the user who linked
 * it.
 */
export type AccountState = 'active' | 'paused' | 'suspended' | 'needs_login';

/** A game account for making skins. */
export interface GameAccountsTable {
  /** UUID of the account: 32 hexadecimal digits. */
  uuid: string;
  name: string;
  /** Owner of the jobs of the user who linked it. Only that user's jobs use it, unless it is shared. */
  owner: string;
  /** 1: its owner agrees that it makes skins for everyone. */
  shared: number;
  state: AccountState;
  /** Its tokens, encrypted (accounts/held-account.ts). */
  secret: string;
  /** The skin it wore before the first of ours; null: a default one. */
  original_url: string | null;
  original_variant: 'classic' | 'slim' | null;
  /** 1: that skin is restored when the account has been idle for a while. */
  restores: number;
  /** 1: its owner agrees to its cape in results. */
  shows_cape: number;
  /** 1: it wears one of our skins. */
  altered: number;
  /** When it was last seen to wear no cape. */
  cape_checked_at: number;
  /** When a change of its skin last started or ended; 0: never. */
  last_used_at: number;
  cool_until: number;
  /** Number of failed uses in a row. */
  error_streak: number;
  last_error_code: string | null;
  last_error_message: string | null;
  last_error_at: number | null;
  generated: number;
  failed: number;
  linked_at: number;
  lease_owner: string | null;
  lease_until: number | null;
}

export type AccountRow = Selectable<GameAccountsTable>;

/** A complaint about a skin. */
export interface ReportsTable {
  /** Order of the reports. */
  id: Generated<number>;
  /** What the report is about. */
  kind: 'skin' | 'set';
  /** UUID of the skin or set. */
  subject: string;
  /** The owner key of its sender. */
  reporter: string;
  reason: ReportReason;
  text: string;
  created_at: number;
  /** When an operator decided on it; null: not yet. */
  closed_at: number | null;
}

/** An image that the service refuses, by its pixel hash. */
export interface BlockedImagesTable {
  hash: string;
  note: string;
  /** Name of the operator. */
  blocked_by: string;
  blocked_at: number;
}

/** An operator's action. */
export interface OperatorLogTable {
  /** Order of the actions. */
  id: Generated<number>;
  at: number;
  /** Name of the operator. */
  operator: string;
  action: OperatorAction;
  /** UUID of a skin, hash of an image, number of a report or name of a user. */
  subject: string;
  note: string;
}

export type ReportRow = Selectable<ReportsTable>;
export type BlockedImageRow = Selectable<BlockedImagesTable>;
export type OperatorLogRow = Selectable<OperatorLogTable>;

/** A process that uses a store on PostgreSQL. Its times are by the database's clock. */
export interface NodesTable {
  /** The holder of its leases (queue/leases.ts). */
  id: string;
  /** Version of the program. */
  version: string;
  started_at: number;
  seen_at: number;
}

/** Regular work that one process at a time does for all. */
export interface ChoresTable {
  name: string;
  /** When it is due again. */
  due_at: number;
  lease_owner: string | null;
  lease_until: number | null;
}

export type NodeRow = Selectable<NodesTable>;

/** All times are milliseconds since the epoch. `owner` is a caller's key, see service/callers.ts. */
export interface Tables {
  meta: { key: string; value: string };
  users: UsersTable;
  api_keys: ApiKeysTable;
  textures: TexturesTable;
  texture_data: TextureDataTable;
  skins: SkinsTable;
  jobs: JobsTable;
  idempotency_keys: IdempotencyKeysTable;
  callers: CallersTable;
  queue_clock: { id: number; turn: number };
  skin_words: { word: string; skin_id: number };
  skin_tags: SkinTagsTable;
  skin_likes: SkinLikesTable;
  skin_days: SkinDaysTable;
  sets: SetsTable;
  set_skins: SetSkinsTable;
  set_names: SetNamesTable;
  skin_views: SkinViewsTable;
  capes: CapesTable;
  callbacks: CallbacksTable;
  upstream_jobs: UpstreamJobsTable;
  wardrobe: WardrobeTable;
  wardrobe_history: WardrobeHistoryTable;
  players: PlayersTable;
  game_accounts: GameAccountsTable;
  sessions: SessionsTable;
  sign_in_links: SignInLinksTable;
  nodes: NodesTable;
  chores: ChoresTable;
  reports: ReportsTable;
  blocked_images: BlockedImagesTable;
  operator_log: OperatorLogTable;
  identities: IdentitiesTable;
  first_sign_ins: FirstSignInsTable;
}

// The same expressions as in the partial indices (first-schema.ts); otherwise SQLite does not use those.
export const PENDING = sql<boolean>`status in ('waiting', 'processing')`;
export const WAITING = sql<boolean>`status = 'waiting'`;
export const PROCESSING = sql<boolean>`status = 'processing'`;
export const COMPLETED = sql<boolean>`status = 'completed'`;
export const FAILED = sql<boolean>`status = 'failed'`;
export const FINISHED = sql<boolean>`finished_at is not null`;
