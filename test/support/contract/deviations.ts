/** Where our answers deliberately differ from the published description. */
export interface Deviation {
  /** The operation; absent: all. */
  readonly operation?: string;
  readonly statuses: readonly number[];
  /** Whether it applies to a body; absent: to all. */
  readonly holds?: (body: Readonly<Record<string, unknown>>) => boolean;
  /** The answer of the file that applies instead. */
  readonly as: string;
  readonly reason: string;
}

export const DEVIATIONS: readonly Deviation[] = [
  {
    operation: 'get /v2/queue/{jobId}',
    statuses: [200],
    holds: ({ skin }) => skin === undefined,
    as: 'QueueProcessingResponse',
    reason:
      'A pending or failed job has no skin. The file always requires one, but the hosted service sends none.',
  },
  {
    operation: 'post /v2/queue',
    statuses: [200],
    holds: ({ skin }) => skin === undefined,
    as: 'QueueProcessingResponse',
    reason:
      'A repeated request with its Idempotency-Key (our addition) gets a failed job in its current state.',
  },
  {
    operation: 'get /v2/queue/{jobId}',
    statuses: [404],
    as: 'NotFoundErrorResponse',
    reason: 'The file omits jobs that do not exist; the hosted service answers like this.',
  },
  {
    statuses: [400, 401, 413, 414, 415, 429, 431, 500, 503],
    as: 'GenericErrorResponse',
    reason: 'The file lists only a few refusals per address; the hosted service has them everywhere.',
  },
  {
    statuses: [403],
    as: 'ForbiddenErrorResponse',
    reason: 'The same: any address refuses a bad API key.',
  },
];

/** Texts in answers that differ from the file, while the rest is the same. */
interface OtherWords {
  readonly here: string;
  readonly published: string;
  readonly reason: string;
}

export const OTHER_WORDS: readonly OtherWords[] = [
  {
    here: '"status":"processing"',
    published: '"status":"active"',
    reason: 'The hosted service and its clients use this word for a job in progress.',
  },
  {
    here: '"name":null,',
    published: '',
    reason: 'The hosted service also sends the field for a skin without a name, and clients rely on it.',
  },
];

/** Translates a body into the words of the file. */
export function inPublishedWords(text: string): string {
  return OTHER_WORDS.reduce((body, { here, published }) => body.replaceAll(here, published), text);
}
