/** Where our answers are known to be otherwise than the published description has it. */
export interface Deviation {
  /** One operation; none: all of them. */
  readonly operation?: string;
  readonly statuses: readonly number[];
  /** Whether it is about such a body; absent: about all. */
  readonly holds?: (body: Readonly<Record<string, unknown>>) => boolean;
  /** The named answer that it then is. */
  readonly as: string;
  readonly reason: string;
}

export const DEVIATIONS: readonly Deviation[] = [
  {
    operation: 'get /v2/queue/{jobId}',
    statuses: [200],
    holds: ({ skin }) => skin === undefined,
    as: 'QueueProcessingResponse',
    reason: 'A pending or failed job has no skin; the file wants one always, the hosted service sends none.',
  },
  {
    operation: 'post /v2/queue',
    statuses: [200],
    holds: ({ skin }) => skin === undefined,
    as: 'QueueProcessingResponse',
    reason: 'Sent again with its Idempotency-Key (our addition), a job that failed is answered as it stands.',
  },
  {
    operation: 'get /v2/queue/{jobId}',
    statuses: [404],
    as: 'NotFoundErrorResponse',
    reason: 'The file does not speak of a job that does not exist; the hosted service answers so.',
  },
  {
    statuses: [400, 401, 413, 414, 415, 429, 431, 500, 503],
    as: 'GenericErrorResponse',
    reason: 'The file lists a few of the refusals of each address; the hosted service has them everywhere.',
  },
  {
    statuses: [403],
    as: 'ForbiddenErrorResponse',
    reason: 'The same: a bad API key is refused wherever it is sent.',
  },
];

/** Where the text of an answer is otherwise than the file has it, and otherwise the same. */
interface OtherWords {
  readonly here: string;
  readonly published: string;
  readonly reason: string;
}

export const OTHER_WORDS: readonly OtherWords[] = [
  {
    here: '"status":"processing"',
    published: '"status":"active"',
    reason: 'The hosted service and its clients call a job at work so.',
  },
  {
    here: '"name":null,',
    published: '',
    reason: 'The hosted service has the field for a skin without a name, too, and clients rely on it.',
  },
];

/** A body in the words of the file. */
export function inPublishedWords(text: string): string {
  return OTHER_WORDS.reduce((body, { here, published }) => body.replaceAll(here, published), text);
}
