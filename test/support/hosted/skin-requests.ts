import { z } from 'zod';
import type { Skin } from '../../../src/protocol/skin.ts';
import { type Answer, note, success } from './answers.ts';
import { HostedRefusal, parseOrRefuse } from './refusals.ts';
import { type SkinStore, shortIdOf } from './skin-store.ts';
import { NAME_AND_VISIBILITY, UUID, UUID_OR_SHORT_ID } from './submission.ts';
import { requireUser, type Visit } from './visit.ts';

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
  /** The service's root, no slash at its end. */
  readonly #root: string;

  constructor(store: SkinStore, root: string) {
    this.#store = store;
    this.#root = root;
  }

  /** `v2GetSkin`. A private skin is not there for others. */
  async get(visit: Visit): Promise<Answer> {
    const id = parseOrRefuse(UUID_OR_SHORT_ID, visit.request.subject);
    const skin = await this.#find(visit, id);
    visit.headers['cache-control'] = 'public, max-age=10800';
    Object.assign(visit.links, { skin: `/v2/skins/${skin.uuid}`, self: `/v2/skins/${skin.uuid}` });
    return success(visit, { skin: skinToJson(skin) });
  }

  /** `v2GetSkinTextureRedirect`. It leads to this service's own textures: there is no other host. */
  async texture(visit: Visit): Promise<Answer> {
    const skin = await this.#find(visit, parseOrRefuse(UUID_OR_SHORT_ID, visit.request.subject));
    const location = `${this.#root}/textures/${skin.texture.hash.skin}`;
    return { status: 301, headers: { location }, content: '' };
  }

  /** `v2ListSkins`: public skins for everybody, `v2UserSkinList`: the user's own. */
  async list(visit: Visit, whose: 'public' | 'own'): Promise<Answer> {
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
  async edit(visit: Visit): Promise<Answer> {
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
  async delete(visit: Visit): Promise<Answer> {
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
