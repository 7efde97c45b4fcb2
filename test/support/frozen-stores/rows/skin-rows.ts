import { offlineIdOf } from '../../../../src/game/names.ts';
import type { Generator } from '../../../../src/server/generators/port.ts';
import { identityOfJob } from '../../../../src/server/service/skins/identity.ts';
import type {
  SetRow,
  SkinRow,
  TextureDataRow,
  TextureRow,
} from '../../../../src/server/store/schema/tables.ts';
import { wordsIn } from '../../../../src/server/store/skins.ts';
import { dayOf, hourOf } from '../../../../src/server/store/usage.ts';
import { NOTHING_WORN } from '../../../../src/server/store/wardrobe.ts';
import { bandsOf, pictureFingerprint } from '../../../../src/skin/fingerprint.ts';
import { makePicture, type Picture } from '../../../../src/skin/picture.ts';
import { encodePng } from '../../../../src/skin/png/encode.ts';
import { pixelHash } from '../../../../src/skin/read-skin.ts';
import { drawSkin } from '../../server/drawn-skins.ts';
import { hex, ownerKey } from '../secrets.ts';
import { LATER, MOMENT } from './moments.ts';
import type { Rows } from './rows.ts';

/** The first picture: tests that submit others have lower numbers. */
export const PICTURES = 60_000;

export function textureOf(picture: Picture): TextureRow {
  const { width, height } = picture;
  const fingerprint = pictureFingerprint(picture);
  const { head, body, light } = bandsOf(fingerprint);
  const bands = { head_band: head, body_band: body, light_band: light };
  const png = encodePng(picture);
  return { hash: pixelHash(picture), width, height, fingerprint, ...bands, png, created_at: MOMENT };
}

export function textureOfSkin(number: number): TextureRow {
  return textureOf(drawSkin(PICTURES + number));
}

function drawCape(red: number): Picture {
  const picture = makePicture(64, 32);
  for (let at = 0; at < picture.pixels.length; at += 4) picture.pixels.set([red, 20, 150, 255], at);
  return picture;
}

/** A cape has no look that others could have. */
function textureOfCape(red: number): TextureRow {
  const unlike = { fingerprint: null, head_band: null, body_band: null, light_band: null };
  return { ...textureOf(drawCape(red)), ...unlike };
}

export const CAPE = textureOfCape(10);
const HIDDEN_CAPE = textureOfCape(11);

interface SkinInput extends Pick<SkinRow, 'owner' | 'name' | 'visibility'> {
  /** Number of its picture. */
  readonly picture: number;
  readonly variant?: 'classic' | 'slim';
  readonly cape_hash?: string;
  readonly hidden_from?: SkinRow['hidden_from'];
  readonly views?: number;
}

const [dora, emil] = [ownerKey('dora'), ownerKey('emil')];
const NOBODY = `address:${hex('192.0.2.1', 32)}`;

const INPUTS: readonly SkinInput[] = [
  { picture: 1, owner: dora, name: 'Steel Smith', visibility: 'public', views: 7 },
  { picture: 2, owner: dora, name: null, visibility: 'unlisted', variant: 'slim' },
  { picture: 3, owner: dora, name: 'Secret "it\'s" Ä 💎', visibility: 'private' },
  { picture: 1, owner: emil, name: 'Copper Smith', visibility: 'public' },
  { picture: 4, owner: emil, name: 'Rude', visibility: 'private', hidden_from: 'public' },
  { picture: 5, owner: dora, name: 'Caped', visibility: 'public', cape_hash: CAPE.hash },
  { picture: 6, owner: NOBODY, name: null, visibility: 'public' },
];

const SETS: readonly Omit<SetRow, 'id' | 'uuid' | 'created_at' | 'changed_at'>[] = [
  { owner: dora, name: 'Royal Guards', ...named('royal-guards'), visibility: 'public', hidden_from: null },
  { owner: emil, name: 'Rude', ...named('rude'), visibility: 'private', hidden_from: 'public' },
];

function named(slug: string) {
  return { slug, namespace: slug };
}

function setUuid(n: number): string {
  return hex(`set ${n}`, 32);
}

/** Of the first skin. */
const TAGS = ['blacksmith', 'steel'];

/** The UUID of the n-th skin, from 1. */
export function skinUuid(n: number): string {
  return hex(`skin ${n}`, 32);
}

async function makeData(generator: Generator, input: SkinInput): Promise<TextureDataRow> {
  const { picture, owner, visibility, variant = 'classic', cape_hash: capeHash = null } = input;
  const { hash } = textureOfSkin(picture);
  const asked = { owner, textureHash: hash, variant, capeHash, visibility };
  const identity = identityOfJob(asked, await generator.signer(hash));
  const texture = { owner, identity, hash, variant, capeHash, visibility };
  const made = await generator.generate(texture, new AbortController().signal);
  const { value, signature, url, cape_url, account } = made;
  return {
    ...{ identity, texture_hash: hash, variant, value, signature, url, account },
    ...{ generator_version: '0.1.0', server: 'skinsmith', worker: '3', created_at: MOMENT, duration: 12 },
    ...{ cape_hash: capeHash, cape_url },
  };
}

function skin(n: number, input: SkinInput, identity: string): SkinRow {
  const { owner, name, visibility, views = 0, hidden_from = null } = input;
  return {
    id: n,
    uuid: skinUuid(n),
    owner,
    identity,
    name,
    visibility,
    views,
    created_at: LATER,
    hidden_from,
    likes: n === 1 ? 1 : 0,
  };
}

/** Words and all their ends, as the search finds them. */
function wordRows({ id, name }: SkinRow): Rows['skin_words'] {
  const ends = wordsIn(name ?? '').flatMap((word) => Array.from(word, (_, at) => word.slice(at)));
  return [...new Set(ends)].map((word) => ({ word, skin_id: id }));
}

type SkinTable =
  | ('textures' | 'texture_data' | 'skins' | 'skin_words')
  | (
      | 'sets'
      | 'set_skins'
      | 'set_names'
      | 'skin_tags'
      | 'skin_likes'
      | 'skin_days'
      | 'skin_views'
      | 'capes'
      | 'players'
      | 'wardrobe'
      | 'wardrobe_history'
      | 'blocked_images'
    );

/** A player name that wears the sixth skin, and one that is reserved. */
function wardrobeRows(data: TextureDataRow): Pick<Rows, 'wardrobe' | 'wardrobe_history'> {
  const { texture_hash, variant, cape_hash, value, signature } = data;
  const worn = { skin_uuid: skinUuid(6), texture_hash, cape_hash };
  const rows = [
    { spelling: 'Steve_1', owner: dora, changed_at: MOMENT, ...worn, variant, value, signature },
    { spelling: 'Reserved', owner: emil, changed_at: LATER, ...NOTHING_WORN },
  ];
  return {
    wardrobe: rows.map(({ spelling, ...rest }) => ({
      ...{ name: spelling.toLowerCase(), spelling, player_id: offlineIdOf(spelling) },
      ...rest,
    })),
    wardrobe_history: [{ id: 1, name: 'steve_1', at: MOMENT, changed_by: dora, ...worn }],
  };
}

/** Skins, with what they are made of. */
export async function skinRows(generator: Generator): Promise<Pick<Rows, SkinTable>> {
  const data = await Promise.all(INPUTS.map(async (input) => await makeData(generator, input)));
  const skins = INPUTS.map((input, n) => skin(n + 1, input, data[n]?.identity ?? ''));
  const cape = { support: 'public', created_at: MOMENT } as const;
  const { identity } = data[0]!;
  return {
    textures: [CAPE, HIDDEN_CAPE, ...[1, 2, 3, 4, 5, 6].map(textureOfSkin)],
    texture_data: data.filter((one, n) => data.findIndex((other) => other.identity === one.identity) === n),
    skins,
    skin_words: skins.flatMap(wordRows),
    sets: SETS.map((set, n) => ({
      id: n + 1,
      uuid: setUuid(n + 1),
      ...set,
      created_at: MOMENT,
      changed_at: LATER,
    })),
    set_skins: [
      { set_id: 1, skin_id: 4, position: 0, pack_id: 'guard' },
      { set_id: 1, skin_id: 1, position: 1, pack_id: 'guard-3f9a1c' },
      { set_id: 2, skin_id: 1, position: 0, pack_id: null },
    ],
    set_names: [
      { slug: 'royal-guards', owner: dora, set_id: 1 },
      { slug: 'guards', owner: dora, set_id: 1 },
      { slug: 'rude', owner: emil, set_id: 2 },
      { slug: 'gone', owner: null, set_id: null },
    ],
    skin_tags: TAGS.map((tag) => ({ tag, skin_id: 1 })),
    skin_likes: [{ skin_id: 1, owner: emil }],
    skin_days: [{ skin_id: 1, day: dayOf(hourOf(MOMENT)), views: 7 }],
    skin_views: [{ skin_id: 1, viewer: hex('viewer'), hour: hourOf(MOMENT) }],
    capes: [
      { ...cape, uuid: hex('cape', 32), alias: 'Violet', texture_hash: CAPE.hash },
      { ...cape, uuid: hex('other', 32), alias: 'Hidden', texture_hash: HIDDEN_CAPE.hash, support: 'none' },
    ],
    ...wardrobeRows(data[5]!),
    players: [{ id: hex('player', 32), name: 'notch', identity, looked_up_at: MOMENT }],
    blocked_images: [
      { hash: hex('a bad image'), note: 'not "here"', blocked_by: 'owner', blocked_at: MOMENT },
    ],
  };
}
