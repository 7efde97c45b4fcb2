import type { ColumnType, Generated, Selectable } from 'kysely';
import type { SkinVisibility } from '../../../protocol/skin.ts';

/** A picture, named by its pixel hash, in canonical encoding. */
export interface TexturesTable {
  hash: string;
  width: number;
  height: number;
  png: Uint8Array;
  created_at: number;
}

/** A signed value. `identity` states what was to be signed, by whom and for whom (service/skins/identity.ts). */
export interface TextureDataTable {
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
export interface SkinsTable {
  id: Generated<number>;
  uuid: string;
  owner: string;
  identity: string;
  name: string | null;
  visibility: SkinVisibility;
  views: number;
  created_at: number;
  /** Its visibility before an operator hid it, which made it private; null: no operator did. */
  hidden_from: ColumnType<SkinVisibility | null, SkinVisibility | null | undefined>;
}

/** The viewers of a skin in an hour of the clock (hours since the epoch). */
export interface SkinViewsTable {
  skin_id: number;
  viewer: string;
  hour: number;
}

export interface CapesTable {
  /** 32 hexadecimal digits. */
  uuid: string;
  alias: string;
  texture_hash: string;
  support: 'public' | 'none';
  created_at: number;
}

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
export type TextureDataRow = Selectable<TextureDataTable>;
export type SkinRow = Selectable<SkinsTable>;
export type SkinViewRow = Selectable<SkinViewsTable>;
export type CapeRow = Selectable<CapesTable>;
export type PlayerRow = Selectable<PlayersTable>;
