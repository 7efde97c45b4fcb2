import { createHash, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { Skin } from '../../protocol/skin.ts';
import type { Picture } from '../../skin/picture.ts';
import { buildTexturesValue } from '../../textures/property.ts';
import { signValue } from '../../textures/signing-key.ts';
import { type Reply, withBody } from '../replies.ts';
import type { Seed } from '../seed.ts';
import type { SkinInput } from './jobs.ts';
import { encodeDifferently, plainPicture } from './pictures.ts';
import { NAME_AND_VISIBILITY, UUID, UUID_OR_SHORT_ID } from './requests.ts';
import { HostedRefusal, note, parseOrRefuse, requireUser, success, type Visit } from './visit.ts';

interface Making {
  /** UUID of the skin, no dashes. */
  readonly uuid: string;
  readonly input: SkinInput;
  readonly picture: Picture;
  /** Uses the texture of a picture that nobody submits. */
  readonly isWrong: boolean;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  /** Milliseconds. */
  readonly duration: number;
}

/**
 * What a wrong skin shows. It is not a picture of the caller: a caller who lost the answer to that picture's submission
 * would rightly take the skin, and the result of a source would depend on chance.
 */
const STRANGERS = plainPicture([7, 255, 255, 255]);

/** Makes signed skins and keeps their textures, each named by the SHA-256 of its file as the game does it. */
export class SkinSigner {
  readonly #root: string;
  readonly #key: KeyObject;
  readonly #seed: Seed;
  readonly #textures = new Map<string, Buffer>();

  /** `root`: where the textures are served, without a slash and the hash at its end. */
  constructor(root: string, { signingKey, seed }: { readonly signingKey: KeyObject; readonly seed: Seed }) {
    this.#root = root;
    this.#key = signingKey;
    this.#seed = seed;
  }

  texture(hash: string): Buffer | undefined {
    return this.#textures.get(hash);
  }

  async make({ uuid, input, picture, isWrong, madeAt, duration }: Making): Promise<Skin> {
    const { variant, visibility, name = null } = input;
    const hash = this.#keepTexture(isWrong ? STRANGERS : picture);
    const url = `${this.#root}/${hash}`;
    const account = this.#seed.uuid();
    const profile = { profileId: account, profileName: account.slice(0, 12) };
    const value = buildTexturesValue({ timestamp: madeAt, ...profile, skin: { url, variant } });
    const data = { value, signature: await signValue(value, this.#key) };
    const texture = { data, hash: { skin: hash }, url: { skin: url } };
    const by = { version: '2.0.0', timestamp: madeAt, duration, account, server: 'hosted', worker: 'w1' };
    const rest = { tags: [], views: 0, duplicate: false };
    return { uuid, name, visibility, variant, texture, generator: by, ...rest };
  }

  #keepTexture(picture: Picture): string {
    const png = encodeDifferently(picture);
    const hash = createHash('sha256').update(png).digest('hex');
    // A copy in its own memory: a slice of Node's buffer pool would keep the whole pool.
    this.#textures.set(hash, Buffer.from(Uint8Array.from(png).buffer));
    return hash;
  }
}

type Edit = Partial<Pick<Skin, 'name' | 'visibility'>>;

interface SkinRecord {
  readonly skin: Promise<Skin>;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  /** Whether it exists and is the caller's: another program's skins are listed for no other key. */
  readonly isThere: (now: number) => boolean;
}

/** The skins that the service has, newest last. */
export class SkinStore {
  readonly #skins = new Map<string, SkinRecord>();
  readonly #edits = new Map<string, Edit>();

  add(uuid: string, kept: SkinRecord): void {
    this.#skins.set(uuid, kept);
  }

  /** By its UUID, with or without dashes, or its short id. Undefined: it is not there. */
  async find(id: string, now: number): Promise<Skin | undefined> {
    const plain = id.replaceAll('-', '');
    const uuid = plain.length === 8 ? [...this.#skins.keys()].find((key) => key.startsWith(plain)) : plain;
    const kept = uuid === undefined ? undefined : this.#skins.get(uuid);
    if (uuid === undefined || !kept?.isThere(now)) return undefined;
    return { ...(await kept.skin), ...this.#edits.get(uuid) };
  }

  /** Newest first. */
  async list(now: number): Promise<readonly { skin: Skin; madeAt: number }[]> {
    const there = [...this.#skins.values()].filter(({ isThere }) => isThere(now)).reverse();
    return await Promise.all(
      there.map(async ({ skin, madeAt }) => {
        const made = await skin;
        return { skin: { ...made, ...this.#edits.get(made.uuid) }, madeAt };
      }),
    );
  }

  edit(uuid: string, edit: Edit): void {
    this.#edits.set(uuid, { ...this.#edits.get(uuid), ...edit });
  }

  delete(uuid: string): void {
    this.#skins.delete(uuid);
  }
}

export function shortIdOf({ uuid }: Pick<Skin, 'uuid'>): string {
  return uuid.slice(0, 8);
}

const LIST = z.object({
  after: UUID.optional(),
  size: z.coerce.number().min(1).max(128).default(16),
  filter: z
    .string()
    .min(1)
    .max(32)
    .regex(/^[a-zA-Z0-9-_ ]+$/, 'Invalid')
    .optional(),
});

/** `v2GetSkin` and the handlers beside it. */
export class SkinRequests {
  readonly #store: SkinStore;

  constructor(store: SkinStore) {
    this.#store = store;
  }

  /** `v2GetSkin`. A private skin is not there for others. */
  async get(visit: Visit): Promise<Reply> {
    const id = parseOrRefuse(UUID_OR_SHORT_ID, visit.request.subject);
    const skin = await this.#find(visit, id);
    visit.headers['cache-control'] = 'public, max-age=10800';
    Object.assign(visit.links, { skin: `/v2/skins/${skin.uuid}`, self: `/v2/skins/${skin.uuid}` });
    return success(visit, { skin: skinToJson(skin) });
  }

  /** `v2GetSkinTextureRedirect` */
  async texture(visit: Visit): Promise<Reply> {
    const skin = await this.#find(visit, parseOrRefuse(UUID_OR_SHORT_ID, visit.request.subject));
    const location = skin.texture.url.skin;
    const headers = { 'content-type': 'text/html; charset=utf-8', location };
    return withBody({ status: 301, headers }, Buffer.alloc(0));
  }

  /** `v2ListSkins`: public skins for everyone, `v2UserSkinList`: the user's own. */
  async list(visit: Visit, whose: 'public' | 'own'): Promise<Reply> {
    if (whose === 'own') requireUser(visit);
    const { after, size, filter } = parseOrRefuse(LIST, Object.fromEntries(visit.request.query));
    const all = await this.#store.list(visit.now);
    const wanted = all.filter(
      ({ skin }) =>
        (whose === 'own' || skin.visibility === 'public') &&
        (filter === undefined || (skin.name ?? '').toLowerCase().includes(filter.toLowerCase())),
    );
    const start = after === undefined ? 0 : 1 + wanted.findIndex(({ skin }) => skin.uuid === after);
    if (after !== undefined && start === 0)
      visit.warnings.push(note('anchor_not_found', 'pagination anchor not found'));
    const rows = wanted.slice(start, start + size);
    const last = rows.at(-1)?.skin.uuid;
    if (last !== undefined) linkPages(visit, { after, size, filter, last });
    const pagination = { current: { after }, next: { after: last } };
    return success(visit, { skins: rows.map(skinToSimpleJson), pagination });
  }

  /** `v2UpdateSkin` */
  async edit(visit: Visit): Promise<Reply> {
    requireUser(visit);
    const skin = await this.#find(visit, parseOrRefuse(UUID_OR_SHORT_ID, visit.request.subject));
    const body: unknown = JSON.parse(visit.request.body.toString('utf8') || '{}');
    const { name, visibility } = parseOrRefuse(NAME_AND_VISIBILITY, body);
    this.#store.edit(skin.uuid, { ...(name && { name }), ...(visibility && { visibility }) });
    const edited = await this.#find(visit, skin.uuid);
    const messages = [note('updated', 'Skin updated successfully')];
    return success(visit, { skin: skinToJson(edited) }, { messages });
  }

  /** `v2DeleteSkin` */
  async delete(visit: Visit): Promise<Reply> {
    requireUser(visit);
    const { uuid } = await this.#find(visit, parseOrRefuse(UUID_OR_SHORT_ID, visit.request.subject));
    this.#store.delete(uuid);
    return success(visit, {}, { messages: [note('deleted', 'Skin marked for deletion')] });
  }

  async #find({ now, caller }: Visit, id: string): Promise<Skin> {
    const skin = await this.#store.find(id, now);
    if (skin && (caller === 'user' || skin.visibility !== 'private')) return skin;
    throw new HostedRefusal(404, 'skin_not_found', 'Skin not found');
  }
}

/** The links of both lists lead to the public one, and there is a next page as long as there is any row. */
function linkPages(
  { links }: Visit,
  { after, size, filter, last }: z.output<typeof LIST> & { readonly last: string },
): void {
  const params = new URLSearchParams({
    ...(after !== undefined && { after }),
    size: `${size}`,
    ...(filter !== undefined && { filter }),
  });
  links['self'] = `/v2/skins?${params}`;
  params.set('after', last);
  links['next'] = `/v2/skins?${params}`;
}

/** `V2GenerateHandler.skinToJson` */
export function skinToJson(skin: Skin, duplicate = false): object {
  const { uuid, generator, ...rest } = skin;
  const account = generator.account.slice(0, 16);
  return {
    uuid,
    shortId: shortIdOf(skin),
    ...rest,
    generator: { ...generator, account, version: 'unknown' },
    duplicate,
  };
}

/** `skinToSimpleJson`: all that a row of a list has. */
function skinToSimpleJson({ skin, madeAt: timestamp }: { skin: Skin; madeAt: number }): object {
  const { uuid, name, texture } = skin;
  return { uuid, shortId: shortIdOf(skin), name, texture: texture.hash.skin, timestamp };
}
