import { createHash } from 'node:crypto';
import { dashed } from '../../base/text.ts';
import type { Note } from '../../protocol/envelope.ts';
import type { Skin } from '../../protocol/skin.ts';
import type { V1Skin } from '../../protocol/v1.ts';
import { parseTexturesValue } from '../../textures/property.ts';
import { jsonReply, type Reply, v1Delay, v1RefusalReply } from '../replies.ts';
import type { SkinStore } from './skins.ts';
import { HostedRefusal, type InvalidRequest, makeRateLimitInfo, note, type Visit } from './visit.ts';

/** A player whom nobody has. */
const NOBODY = 'nobody';
const PAGE = 16;
const MAX_PAGE = 64;

/** The answers of version 1 that are not those of version 2 in another form. */
export class Version1 {
  readonly #store: SkinStore;
  /** Names of players that were asked for, by UUID. */
  readonly #players = new Map<string, string>();

  constructor(store: SkinStore) {
    this.#store = store;
  }

  /** `/get/uuid/…` and `/get/id/…` */
  async skin({ request: { subject, address }, now }: Visit): Promise<Reply> {
    const isUuid = subject.length >= 32 && subject.length <= 36;
    const isById = address.startsWith('/get/id/');
    if (isById && isUuid) return jsonReply(301, {}, { location: `/get/uuid/${subject}` });
    if (!isById && !isUuid) return jsonReply(400, { error: 'invalid uuid' });
    const skin = isById ? await this.#byNumber(Number(subject), now) : await this.#store.find(subject, now);
    if (!skin) return jsonReply(404, { error: 'Skin not found' });
    return jsonReply(200, v1Skin(skin), { 'cache-control': 'public, max-age=3600' });
  }

  async #byNumber(id: number, now: number): Promise<Skin | undefined> {
    return (await this.#store.list(now)).map(({ skin }) => skin).find((skin) => v1Skin(skin).id === id);
  }

  /** `/get/delay` */
  delay({ traffic, now }: Visit): Reply {
    const { nextRequest: _, delayInfo, ...told } = v1Delay(traffic.delay);
    const time = Math.max(now, traffic.nextRequest);
    const relative = Math.max(100, time - now);
    const next = { next: Math.round(time / 1000), nextRelative: Math.round((time - now) / 1000) };
    return jsonReply(200, { ...told, ...delayInfo, ...next, nextRequest: { time, relative } });
  }

  /** `/get/list`: public skins, newest first, in pages. */
  async list({ request: { address, query }, now }: Visit): Promise<Reply> {
    const index = Math.max(1, Number(/\/list\/(\d+)/.exec(address)?.[1] ?? 1));
    const size = Math.min(MAX_PAGE, Number.parseInt(query.get('size') ?? '', 10) || PAGE);
    const all = (await this.#store.list(now)).filter(({ skin }) => skin.visibility === 'public');
    const skins = all.slice(size * (index - 1), size * index).map(({ skin, madeAt }) => {
      const { id, uuid, name } = v1Skin(skin);
      return { id, uuid, name, url: skin.texture.url.skin, time: Math.floor(madeAt / 1000) };
    });
    const page = { index, amount: Math.round(all.length / size), total: all.length };
    return jsonReply(200, { skins, page });
  }

  /** `/validate/…`: everyone exists but `nobody`. */
  player({ request: { subject, address } }: Visit): Reply {
    const isName = /^\/validate\/(?:name|user)\//.test(address);
    if (isName ? subject.length > 16 : subject.length < 32)
      return jsonReply(400, { error: isName ? 'invalid name' : 'invalid uuid' });
    const uuid = isName ? digits(subject.toLowerCase(), 32) : subject.replaceAll('-', '');
    if (isName) this.#players.set(uuid, subject);
    const name = this.#players.get(uuid) ?? `player_${uuid.slice(0, 8)}`;
    if (name.toLowerCase() === NOBODY) return jsonReply(404, { valid: false });
    return jsonReply(200, { valid: true, uuid, name });
  }
}

/** `sendV2WrappedSkin`: the answer to `/generate/…`. */
export function v1GeneratedAnswer(visit: Visit, skin: Skin, duplicate: boolean): Reply {
  const rateLimit = makeRateLimitInfo(visit, 200);
  const deprecated = note('deprecated', 'this endpoint is deprecated, please use the v2 API');
  const told = { ...v1Delay(visit.traffic.delay), usage: {}, rateLimit };
  const content = { ...v1Skin(skin), duplicate, ...told, warnings: [deprecated, ...visit.warnings] };
  return jsonReply(200, content, v1Headers(visit));
}

/** The general error handler, which answers what is not below `/v2`. */
export function v1ErrorAnswer(error: HostedRefusal | InvalidRequest, visit: Visit): Reply {
  const { traffic, nextRequest, now } = visit;
  const delay = Math.max(traffic.delay, error instanceof HostedRefusal ? nextRequest - now : 0);
  if (error instanceof HostedRefusal) {
    const [first] = error.errors as [Note];
    return v1RefusalReply(error.status, first, v1Headers(visit), delay);
  }
  const reasons = error.issues.map(({ code, message }) => `${code}: ${message}`).join(', ');
  const refusal = note('validation_error', `Validation error: ${reasons}`);
  return v1RefusalReply(400, refusal, v1Headers(visit), delay);
}

function v1Headers({ headers, traffic: { delay } }: Visit): Reply['headers'] {
  return {
    ...headers,
    'mineskin-api-version': 'v1-with-v2-compat',
    'mineskin-api-deprecated': 'true',
    'mineskin-delay-millis': `${delay}`,
    'mineskin-delay-seconds': `${Math.ceil(delay / 1000)}`,
  };
}

/** `v2SkinInfoToV1Json`, which is not published; the fields are those of the published description. */
function v1Skin({ uuid, name, variant, visibility, texture, generator, views, duplicate }: Skin): V1Skin {
  const { data, hash, url } = texture;
  const id = Number.parseInt(uuid.slice(0, 7), 16);
  const account = Number.parseInt(generator.account.slice(0, 7), 16);
  return {
    id,
    idStr: `${id}`,
    uuid,
    hash: hash.skin,
    name: name ?? '',
    model: variant === 'slim' ? 'slim' : 'steve',
    variant: variant === 'slim' ? 'slim' : 'classic',
    data: {
      uuid: dashed(parseTexturesValue(data.value).profileId),
      texture: { ...data, url: url.skin, urls: { skin: url.skin } },
    },
    timestamp: Math.floor(generator.timestamp / 1000),
    duration: Math.round(generator.duration),
    account,
    accountId: account,
    server: generator.server,
    private: visibility === 'private',
    views,
    duplicate,
  };
}

function digits(text: string, count: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, count);
}
