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
  usage: UsageTable;
}

interface UsersTable {
  /** 32 hexadecimal digits. */
  id: string;
  name: string;
  plan: string;
  role: 'operator' | 'user';
  created_at: number;
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
}

/** A picture, named by its pixel hash, in canonical encoding. */
interface TexturesTable {
  hash: string;
  width: number;
  height: number;
  png: Uint8Array;
  created_at: number;
}

/** A signed value. `identity` says what was asked to be signed and by whom (service/identity.ts). */
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
}

/** Which job an owner's request with this `Idempotency-Key` got. */
interface IdempotencyKeysTable {
  owner: string;
  key: string;
  job_id: number;
}

/** Generations a caller has spent in the current minute and hour (fixed windows of the clock). */
interface UsageTable {
  owner: string;
  minute: number;
  minute_used: number;
  hour: number;
  hour_used: number;
}

export type UserRow = Selectable<UsersTable>;
export type ApiKeyRow = Selectable<ApiKeysTable>;
export type TextureRow = Selectable<TexturesTable>;
export type TextureDataRow = Selectable<TextureDataTable>;
export type SkinRow = Selectable<SkinsTable>;
export type JobRow = Selectable<JobsTable>;
export type UsageRow = Selectable<UsageTable>;
