import { ServiceError } from './errors.ts';

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

export function skinPath(uuid: string): string {
  return `/v2/skins/${encodeURIComponent(uuid)}`;
}
