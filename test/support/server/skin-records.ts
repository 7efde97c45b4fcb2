import type { Db } from '../../../src/server/store/db.ts';
import type { TextureDataRow } from '../../../src/server/store/schema/tables.ts';
import { ensureSkin, type NewSkin, type SkinWithData } from '../../../src/server/store/skins.ts';
import { keepTexture, keepTextureData } from '../../../src/server/store/textures.ts';
import { bandsOf } from '../../../src/skin/fingerprint.ts';
import { openOwnStore } from './running-server.ts';

const FINGERPRINT = new Uint8Array(168);
const BANDS = bandsOf(FINGERPRINT);
const LOOK = {
  fingerprint: FINGERPRINT,
  head_band: BANDS.head,
  body_band: BANDS.body,
  light_band: BANDS.light,
};

/** The hash of the texture that `keepData` keeps: hashes are ordered as identities are. */
export function hashOfData(identity: string): string {
  return Buffer.from(identity).toString('hex').padEnd(64, '0').slice(0, 64);
}

/** Signed data under a name of its own, with its texture. All of these look alike. */
export async function keepData(
  db: Db,
  identity: string,
  created_at = 0,
  other: Partial<Pick<TextureDataRow, 'texture_hash' | 'variant' | 'cape_hash'>> = {},
): Promise<void> {
  const hash = other.texture_hash ?? hashOfData(identity);
  await keepTexture(db, { hash, width: 64, height: 64, ...LOOK, png: new Uint8Array(1), created_at });
  await keepTextureData(db, {
    identity,
    texture_hash: hash,
    variant: 'classic',
    value: `value of ${identity}`,
    signature: 'c2ln',
    url: `http://127.0.0.1/textures/${hash}`,
    generator_version: '0.0.0',
    account: 'key',
    server: 'host',
    worker: '0',
    created_at,
    duration: 1,
    cape_hash: null,
    cape_url: null,
    ...other,
  });
}

/** The hashes of the pictures that can be found as similar ones. */
export async function looksOf({ dataDir }: { readonly dataDir: string }): Promise<string[]> {
  const { db } = await openOwnStore(dataDir);
  const rows = await db
    .selectFrom('textures')
    .select('hash')
    .where(({ eb, or }) =>
      or(
        (['fingerprint', 'head_band', 'body_band', 'light_band'] as const).map((one) =>
          eb(one, 'is not', null),
        ),
      ),
    )
    .execute();
  return rows.map(({ hash }) => hash);
}

let made = 0;

/** A record of that data; `uuid` tells records apart. */
export async function record(db: Db, over: Partial<NewSkin> = {}): Promise<SkinWithData> {
  const uuid = (++made).toString(16).padStart(32, '0');
  const skin = {
    uuid,
    owner: 'ann',
    identity: 'face',
    name: null,
    visibility: 'public',
    created_at: 0,
  } as const;
  return await ensureSkin(db, { ...skin, ...over });
}
