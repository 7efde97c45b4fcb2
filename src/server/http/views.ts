import type { WireCape } from '../../protocol/cape.ts';
import type { Note, RateLimit } from '../../protocol/envelope.ts';
import type { WireJob } from '../../protocol/job.ts';
import { SHORT_ID_LENGTH, type SimilarSkin, type Skin, type WireSkinListItem } from '../../protocol/skin.ts';
import type { JobSummaryRow, ListedJob } from '../queue/lists.ts';
import type { CapeRow } from '../store/schema/tables.ts';
import type { SimilarSkinRow, SkinWithData } from '../store/skins.ts';

/** Rows in their wire format. A job that was read as a whole also says what it is made from. */
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

/** A job as pages of the list have it. */
export function listedJobView(job: ListedJob): WireJob {
  const [error] = jobErrors(job);
  return {
    ...jobView(job),
    ...(job.name !== null && { name: job.name }),
    ...(job.finished_at !== null && { finished: job.finished_at }),
    ...(error && { error }),
  };
}

/** Why it failed, if it did. */
export function jobErrors({
  status,
  error_code,
  error_message,
}: Pick<ListedJob, 'status' | 'error_code' | 'error_message'>): Note[] {
  if (status !== 'failed') return [];
  return [{ code: error_code ?? 'job_failed', message: error_message ?? '' }];
}

/** `duplicate`: the data existed before the request that this answers (or that made the record). */
export function skinView(skin: SkinWithData, duplicate = skin.skin_created_at > skin.data_created_at): Skin {
  return {
    uuid: skin.uuid,
    shortId: shortIdOf(skin),
    name: skin.name,
    visibility: skin.visibility,
    variant: skin.variant,
    texture: {
      data: { value: skin.value, signature: skin.signature },
      hash: { skin: skin.texture_hash, ...(skin.cape_hash !== null && { cape: skin.cape_hash }) },
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
    tags: [],
    views: skin.views,
    duplicate,
  };
}

/** GET /v2/skins/{uuid} also accepts this id, as long as no other skin's UUID starts with it. */
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
    timestamp: skin.skin_created_at,
    texture: skin.texture_hash,
  };
}

export function similarSkinView({ uuid, variant, cape_hash }: SimilarSkinRow): SimilarSkin {
  return { uuid, variant, ...(cape_hash !== null && { cape: cape_hash }) };
}

/** `textureUrl`: the address of a texture. */
export function capeView(cape: CapeRow, textureUrl: (hash: string) => string): WireCape {
  return {
    uuid: cape.uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
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
 * The fields of every v2 answer besides its content. Without errors there is no `errors`, as on the hosted service:
 * clients look for the word in the text of an answer to see whether it failed.
 */
export function envelope(notes: Notes): Envelope {
  const { warnings = [], messages = [], errors = [], links = {} } = notes;
  return { success: true, ...(errors.length > 0 && { errors }), warnings, messages, links };
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
