import type { Generated, Selectable } from 'kysely';
import type { JobStatus } from '../../protocol/job.ts';
import type { SkinVisibility } from '../../protocol/skin.ts';

/** All times are milliseconds since the epoch. `owner` is a caller's key, see service/caller.ts. */
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
  skin_views: SkinViewsTable;
  capes: CapesTable;
  callbacks: CallbacksTable;
  upstream_jobs: UpstreamJobsTable;
  players: PlayersTable;
  game_accounts: GameAccountsTable;
}

interface UsersTable {
  /** 32 hexadecimal digits. */
  id: string;
  name: string;
  plan: string;
  role: 'operator' | 'user';
  created_at: number;
  disabled_at: number | null;
}

interface ApiKeysTable {
  /** 24 hexadecimal digits. */
  id: string;
  user_id: string;
  name: string;
  /** SHA-256 of the key, hexadecimal; the key itself is nowhere. */
  hash: string;
  last4: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
  /** JSON lists of texts; an empty one allows all. */
  allowed_ips: string;
  allowed_origins: string;
  allowed_agents: string;
  /** 1: version 1 requests with this key go through the queue of version 2. */
  v2_compat: number;
}

/** A picture, named by its pixel hash, in canonical encoding. */
interface TexturesTable {
  hash: string;
  width: number;
  height: number;
  png: Uint8Array;
  created_at: number;
}

/** A signed value. `identity` says what was asked to be signed, by whom and for whom (service/identity.ts). */
interface TextureDataTable {
  identity: string;
  texture_hash: string;
  variant: 'classic' | 'slim';
  value: string;
  signature: string;
  url: string;
  generator_version: string;
  account: string;
  server: string;
  worker: string;
  created_at: number;
  duration: number;
  cape_hash: string | null;
  cape_url: string | null;
}

/** A caller's record of a skin; several may share one texture_data. */
interface SkinsTable {
  id: Generated<number>;
  uuid: string;
  owner: string;
  identity: string;
  name: string | null;
  visibility: SkinVisibility;
  views: number;
  created_at: number;
}

interface JobsTable {
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
  created_at: number;
  finished_at: number | null;
  via: Via;
  /** When it is its owner's turn, in the queue's own time (queue/turns.ts): lower ones are taken first. */
  turn: number;
  /** How many of the owner's jobs may be processed at the same time. */
  concurrency: number;
  /** Texture of the cape that goes with the skin. */
  cape_hash: string | null;
}

/** How a job came: through the queue, or by a request that waits for its skin, under rules of its own. */
export type Via = 'queue' | 'generate' | 'v1';

/** Which job an owner's request with this `Idempotency-Key` got. */
interface IdempotencyKeysTable {
  owner: string;
  key: string;
  job_id: number;
}

/** What is remembered of a caller from one job to the next. */
interface CallersTable {
  owner: string;
  /** Where its next job stands in the queue's own time, see JobsTable.turn. */
  turn: number;
  /** When its last job was accepted. */
  spent_at: number;
  /** When its last generation outside the queue was accepted; 0: never. */
  generated_at: number;
  /** What it spent in the last minute and the last hour: JSON of queue/sliding-window.ts. */
  minute: string;
  hour: string;
}

/** Who has seen a skin in an hour of the clock (hours since the epoch). */
interface SkinViewsTable {
  skin_id: number;
  viewer: string;
  hour: number;
}

interface CapesTable {
  /** 32 hexadecimal digits. */
  uuid: string;
  alias: string;
  texture_hash: string;
  support: 'public' | 'none';
  created_at: number;
}

/** A submission to the service that makes the skins, until its skin data is stored. */
interface UpstreamJobsTable {
  /** Of the skin data; the service's address is in it. */
  identity: string;
  /** Its job there; null: it may have arrived or not. */
  job_id: string | null;
  idempotency_key: string;
  /** Newest job seen there before, on that service's clock: the submission's own cannot be older. */
  mark: number;
  submitted_at: number;
}

/** An address to be told of a job's end. */
interface CallbacksTable {
  id: Generated<number>;
  /** Names it to its receiver, the same at each attempt. */
  uuid: string;
  job_id: number;
  /** The API key of the request: its secret signs what is sent. */
  key_id: string;
  url: string;
  /** Of the URL, with its port. */
  host: string;
  /** Deliveries that were begun. */
  attempts: number;
  /**
   * When the next delivery may begin; null while the job has not ended. While one is under way: when it is taken
   * for lost, so that a process that is killed needs nobody to clean up after it.
   */
  run_at: number | null;
  lease_owner: string | null;
  created_at: number;
  /** Delivered, or given up. */
  done_at: number | null;
}

/** What is the matter with an account: `suspended` and `needs_login` wait for its owner, `paused` for the operator. */
export type AccountState = 'active' | 'paused' | 'suspended' | 'needs_login';

/** A game account that skins are made with. */
interface GameAccountsTable {
  /** Of the account: 32 hexadecimal digits. */
  uuid: string;
  name: string;
  state: AccountState;
  /** Its tokens, encrypted (accounts/token-cipher.ts). */
  secret: string;
  /** The skin it wore before the first of ours; null: a default one. */
  original_url: string | null;
  original_variant: 'classic' | 'slim' | null;
  /** 1: that skin is set again when the account has been idle for a while. */
  restores: number;
  /** 1: its owner agrees to its cape in results. */
  shows_cape: number;
  /** 1: it wears one of our skins. */
  altered: number;
  /** When it was last seen to wear no cape. */
  cape_checked_at: number;
  /** When a change of its skin was last begun or ended; 0: never. */
  last_used_at: number;
  cool_until: number;
  /** Uses in a row that it failed. */
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

/** A player whose signed profile was looked up, and which data that is. */
interface PlayersTable {
  /** 32 hexadecimal digits. */
  id: string;
  /** Lower case. */
  name: string;
  identity: string;
  looked_up_at: number;
}

export type UserRow = Selectable<UsersTable>;
export type ApiKeyRow = Selectable<ApiKeysTable>;
export type TextureRow = Selectable<TexturesTable>;
export type TextureDataRow = Selectable<TextureDataTable>;
export type SkinRow = Selectable<SkinsTable>;
export type JobRow = Selectable<JobsTable>;
export type SkinViewRow = Selectable<SkinViewsTable>;
export type CapeRow = Selectable<CapesTable>;
export type CallbackRow = Selectable<CallbacksTable>;
export type UpstreamJobRow = Selectable<UpstreamJobsTable>;
export type PlayerRow = Selectable<PlayersTable>;
export type AccountRow = Selectable<GameAccountsTable>;
