import type { z } from 'zod';
import type { receivedSkinListAnswerSchema } from '../protocol/skin.ts';
import { ServiceError, UnreadableAnswerError } from './errors.ts';
import type { SkinPage } from './types.ts';

/** The query of a request; undefined values are left out. */
export function queryOf(values: object): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  return query;
}

/** `after` of the next page, from its link. */
export function nextIn(links: Readonly<Record<string, string>> | undefined): string | undefined {
  const query = links?.['next']?.split('?')[1];
  return new URLSearchParams(query).get('after') || undefined; // an empty one would start over
}

/** The id of the job that an answer links to. */
export function jobIn(links: Readonly<Record<string, string>> | undefined): string | undefined {
  return links?.['job']?.split('/').pop();
}

/** The job that the service stopped waiting for, if the error names one. */
export function timedOutJob(error: unknown): string | undefined {
  if (!(error instanceof ServiceError) || error.code !== 'generator_timeout') return undefined;
  return jobIn(error.answer.links);
}

/** The address of a request, with its values in a form that addresses can have; a query gets its question mark. */
export function at(parts: TemplateStringsArray, ...values: readonly (string | URLSearchParams)[]): string {
  const written = values.map((value) =>
    value instanceof URLSearchParams ? (value.size > 0 ? `?${value}` : '') : encodeURIComponent(value),
  );
  return String.raw({ raw: parts }, ...written);
}

/**
 * The entries of all pages, in order. Each page is read when its first entry is wanted. A page that names itself as the
 * next one is the last: the service ignored `after`.
 * @throws UnreadableAnswerError if a later page leads back to an earlier one: reading on would never end
 */
export async function* allPages<P extends { readonly next: string | undefined }, T>(
  read: (after: string | undefined) => Promise<P>,
  entriesOf: (page: P) => readonly T[],
): AsyncGenerator<T, void, void> {
  const seen = new Set<string>();
  let after: string | undefined;
  do {
    const page: P = await read(after);
    yield* entriesOf(page);
    after = page.next === after ? undefined : page.next;
    if (after !== undefined && seen.has(after)) throw new UnreadableAnswerError(LEADS_BACK, { status: 200 });
    if (after !== undefined) seen.add(after);
  } while (after !== undefined);
}

const LEADS_BACK = 'The next page of the list is one that the service has sent before.';

type SkinListAnswer = z.output<typeof receivedSkinListAnswerSchema>;

/** The warning of services that send the first page because they do not know `after`. */
const STARTED_OVER = 'anchor_not_found';

/**
 * @throws ServiceError if the service sent the first page instead of a later one: reading on from there would never end
 */
export function skinPage(path: string, answer: SkinListAnswer): SkinPage {
  const { skins, links, pagination, total, warnings = [] } = answer;
  if (warnings.some(({ code }) => code === STARTED_OVER)) throw startedOver(path, answer);
  const next = nextIn(links) ?? pagination?.next?.after;
  return { skins, next, ...(total !== undefined && { total }) };
}

function startedOver(path: string, { links = {}, rateLimit }: SkinListAnswer): ServiceError {
  const message = 'The skin after which this page starts was deleted. Read the list from its start.';
  const errors = [{ code: STARTED_OVER, message }];
  const request = { method: 'GET', path, status: 200 };
  return new ServiceError({ ...request, errors, links, rateLimit, retryAfter: undefined });
}
