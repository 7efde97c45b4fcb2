import { dashed } from '../../base/text.ts';
import type { WireCape } from '../../protocol/cape.ts';
import type { Note, RateLimit } from '../../protocol/envelope.ts';
import type { WireJob } from '../../protocol/job.ts';
import { SHORT_ID_LENGTH, type SimilarSkin, type Skin, type WireSkinListItem } from '../../protocol/skin.ts';
import type { V1Skin } from '../../protocol/v1.ts';
import { parseTexturesValue, textureName } from '../../textures/property.ts';
import type { JobSummaryRow, JobWithSkin, ListedJob } from '../queue/lists.ts';
import type { CapeRow, JobRow } from '../store/schema/tables.ts';
import type { SimilarSkinRow } from '../store/similar-skins.ts';
import { type SkinWithData, tagsOf } from '../store/skins.ts';
import type { Answer } from './route.ts';

/** A job in its wire format. If all of it was read, that includes its source. */
export function jobView(job: JobSummaryRow & { readonly source?: string | null }, eta?: number): WireJob {
  return {
    id: job.uuid,
    status: job.status,
    timestamp: job.created_at,
    ...(eta !== undefined && { eta }),
    ...(job.skin_uuid !== null && { result: job.skin_uuid }),
    ...(typeof job.source === 'string' && { source: job.source }),
  };
}

/** A job in a page of the list. */
export function listedJobView(job: ListedJob): WireJob {
  const [error] = jobErrors(job);
  return {
    ...jobView(job),
    ...(job.name !== null && { name: job.name }),
    ...(job.finished_at !== null && { finished: job.finished_at }),
    ...(error && { error }),
  };
}

export function jobErrors({
  status,
  error_code,
  error_message,
}: Pick<ListedJob, 'status' | 'error_code' | 'error_message'>): Note[] {
  if (status !== 'failed') return [];
  return [{ code: error_code ?? 'job_failed', message: error_message ?? '' }];
}

/** `duplicate`: the data existed before the request that is being answered, or that made the record. */
export function skinView(skin: SkinWithData, duplicate = skin.skin_created_at > skin.data_created_at): Skin {
  return {
    uuid: skin.uuid,
    shortId: shortIdOf(skin),
    name: skin.name,
    visibility: skin.visibility,
    variant: skin.variant,
    texture: {
      data: { value: skin.value, signature: skin.signature },
      hash: hashesOf(skin),
      url: { skin: skin.url, ...(skin.cape_url !== null && { cape: skin.cape_url }) },
    },
    generator: {
      version: skin.generator_version,
      timestamp: skin.data_created_at,
      duration: skin.duration,
      account: skin.account,
      server: skin.server,
      worker: skin.worker,
    },
    tags: tagsOf(skin).map((tag) => ({ tag })),
    views: skin.views,
    likes: skin.likes,
    duplicate,
  };
}

/** GET /v2/skins/{uuid} also accepts this ID, unless another skin's UUID starts with it. */
function shortIdOf({ uuid }: Pick<SkinWithData, 'uuid'>): string {
  return uuid.slice(0, SHORT_ID_LENGTH);
}

export function skinListItem(skin: SkinWithData): WireSkinListItem {
  return {
    uuid: skin.uuid,
    shortId: shortIdOf(skin),
    name: skin.name,
    visibility: skin.visibility,
    variant: skin.variant,
    views: skin.views,
    likes: skin.likes,
    timestamp: skin.skin_created_at,
    texture: hashesOf(skin).skin,
  };
}

/** The names of the textures in their addresses: those of the game, if it has signed. */
export function hashesOf({
  url,
  texture_hash,
  cape_url,
  cape_hash,
}: Pick<SkinWithData, 'url' | 'texture_hash' | 'cape_url' | 'cape_hash'>): Skin['texture']['hash'] {
  const skin = textureName(url) || texture_hash;
  const cape = cape_url === null ? cape_hash : textureName(cape_url) || cape_hash;
  return { skin, ...(cape !== null && { cape }) };
}

export function similarSkinView({ uuid, name, variant, cape_hash, distance }: SimilarSkinRow): SimilarSkin {
  return {
    uuid,
    ...(name !== null && { name }),
    variant,
    ...(cape_hash !== null && { cape: cape_hash }),
    distance: Math.round(distance * 1_000) / 1_000,
  };
}

/** `textureUrl`: gives the address of a texture. */
export function capeView(cape: CapeRow, textureUrl: (hash: string) => string): WireCape {
  return {
    uuid: dashed(cape.uuid),
    alias: cape.alias,
    hash: cape.texture_hash,
    url: textureUrl(cape.texture_hash),
    support: cape.support,
    supported: cape.support === 'public',
  };
}

export interface Notes {
  readonly warnings?: readonly Note[];
  readonly messages?: readonly Note[];
  readonly errors?: readonly Note[];
  readonly links?: Readonly<Record<string, string>>;
}

type Envelope = { readonly success: true } & Required<Omit<Notes, 'errors'>> & Pick<Notes, 'errors'>;

/**
 * The fields of every v2 answer besides its content. Without errors, `errors` is absent, as on the hosted service:
 * clients search the answer's text for that word to see whether the request failed.
 */
export function envelope(notes: Notes): Envelope {
  const { warnings = [], messages = [], errors = [], links = {} } = notes;
  return { success: true, ...(errors.length > 0 && { errors }), warnings, messages, links };
}

export function v2Answer(notes: Notes, content: object = {}, status = 200): Answer {
  return { status, body: { ...envelope(notes), ...content } };
}

/** The rate limit as headers; `Retry-After` only if the answer is a 429. */
export function rateLimitHeaders(
  rateLimit: RateLimit,
  { retry }: { retry: boolean },
): Record<string, string> {
  const { minute } = rateLimit.limit;
  const { next, delay } = rateLimit;
  return {
    'X-RateLimit-Limit': String(minute.limit),
    'X-RateLimit-Remaining': String(minute.remaining),
    'X-RateLimit-Reset': String(minute.reset),
    'X-RateLimit-Delay': String(delay.millis),
    'X-RateLimit-NextRequest': String(next.absolute),
    ...(retry && { 'Retry-After': String(Math.max(1, Math.ceil(next.relative / 1000))) }),
  };
}

const MESSAGES = {
  waiting: { code: 'job_pending', message: 'The job is pending.' },
  processing: { code: 'job_pending', message: 'The job is pending.' },
  completed: { code: 'job_completed', message: 'The job is completed.' },
  failed: { code: 'job_failed', message: 'The job failed.' },
} as const satisfies Record<JobRow['status'], Note>;

export const EVENTS_LINK = { events: '/v2/queue/events' } as const;

/** A job in its current state, with its skin if completed or the reason if failed. */
export function jobBody({ job, skin }: JobWithSkin, warnings: readonly Note[]): Record<string, unknown> {
  const notes = { warnings, errors: jobErrors(job), messages: [MESSAGES[job.status]], links: jobLinks(job) };
  return { ...envelope(notes), job: jobView(job), ...(skin && { skin: skinView(skin) }) };
}

export function jobLinks(job: JobRow): Record<string, string> {
  const self = `/v2/queue/${job.uuid}`;
  const skin = job.skin_uuid !== null && { skin: `/v2/skins/${job.skin_uuid}` };
  return { self, job: self, ...skin, ...EVENTS_LINK };
}

/** The position of a page's last entry, if more may follow because the page is full. */
export function placeAfter<Entry, Place>(
  entries: readonly Entry[],
  size: number,
  placeOf: (entry: Entry) => Place,
): Place | undefined {
  const last = entries.length === size ? entries.at(-1) : undefined;
  return last && placeOf(last);
}

/** The query of a page: size, position and filters. Empty filters are left out. */
interface PageLinkQuery {
  readonly size: number;
  readonly after?: string | number | undefined;
  readonly [filter: string]: string | number | undefined;
}

/** The links of a page of the list at `path`. `next`: the position after which the next page begins, if there is one. */
export function pageLinks(
  path: string,
  query: PageLinkQuery,
  next: string | undefined,
): Record<string, string> {
  const { size, after, ...filters } = query;
  const address = (place: string | number | undefined) => {
    const all = { size, ...filters, after: place };
    const given = Object.entries(all).flatMap(([name, value]): [string, string][] =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    );
    return `${path}?${new URLSearchParams(given)}`;
  };
  return { self: address(after), ...(next !== undefined && { next: address(next) }) };
}

/** A skin in the format of version 1. `duplicate`: the data existed before the request that is being answered. */
export function v1SkinView(
  skin: SkinWithData,
  duplicate = skin.skin_created_at > skin.data_created_at,
): V1Skin {
  const account = accountNumber(skin.account);
  return {
    id: skin.id,
    idStr: String(skin.id),
    uuid: skin.uuid,
    hash: skin.texture_hash,
    name: skin.name ?? '',
    model: skin.variant === 'slim' ? 'slim' : 'steve',
    variant: skin.variant,
    data: {
      uuid: dashed(parseTexturesValue(skin.value).profileId),
      texture: {
        value: skin.value,
        signature: skin.signature,
        url: skin.url,
        urls: { skin: skin.url, ...(skin.cape_url !== null && { cape: skin.cape_url }) },
      },
    },
    timestamp: Math.floor(skin.data_created_at / 1000),
    duration: Math.round(skin.duration),
    account,
    accountId: account,
    server: skin.server,
    private: skin.visibility === 'private',
    views: skin.views,
    duplicate,
  };
}

/** Old clients read a 32-bit integer: the first digits of the account's hexadecimal name. */
function accountNumber(account: string): number {
  return Number.parseInt(account.slice(0, 7), 16) || 0;
}

/** The delay between requests in the headers that older clients read. */
export function delayHeaders({ delay: { millis } }: RateLimit): Readonly<Record<string, string>> {
  const seconds = String(Math.ceil(millis / 1000));
  return {
    'MineSkin-Delay': seconds,
    'MineSkin-Delay-Seconds': seconds,
    'MineSkin-Delay-Millis': String(millis),
  };
}

/** A waiting time for old clients: whole numbers, with seconds rounded up. */
export function waitView(milliseconds: number): {
  delay: number;
  delayInfo: { millis: number; seconds: number };
} {
  const millis = Math.max(0, Math.ceil(milliseconds));
  const seconds = Math.ceil(millis / 1000);
  return { delay: seconds, delayInfo: { millis, seconds } };
}
