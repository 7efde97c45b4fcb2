import { createHash, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import type { ReceivedBatchItem } from '../protocol/generate.ts';
import {
  receivedJobAnswerSchema,
  receivedJobListAnswerSchema,
  signWebhook,
  WEBHOOK_HEADERS,
  WEBHOOK_SECRET_PREFIX,
  webhookSecret,
} from '../protocol/job.ts';
import type { receivedSkinListAnswerSchema } from '../protocol/skin.ts';
import { ServiceError, UnreadableAnswerError, WebhookError } from './errors.ts';
import type { AnswerNotes, JobAnswer, JobEvent, QueuedItem, SkinPage } from './types.ts';

/** How addresses of requests are written, and how answers are read: pages, jobs, their events and webhooks. */

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

export function notesOf(answer: Partial<AnswerNotes>): AnswerNotes {
  const { warnings = [], messages = [], links = {}, rateLimit } = answer;
  return { warnings, messages, links, rateLimit };
}

export function jobAnswer(answer: z.output<typeof receivedJobAnswerSchema>): JobAnswer {
  return { job: answer.job, skin: answer.skin, errors: answer.errors ?? [], ...notesOf(answer) };
}

export function queuedItem(item: ReceivedBatchItem): QueuedItem {
  const { success, job, skin, errors = [], warnings = [] } = item;
  return { success, job, skin, errors, warnings };
}

/** The known event types and how each one's data is parsed. */
const READERS = {
  jobs: (data) => ({ type: 'jobs', jobs: receivedJobListAnswerSchema.parse(data).jobs }),
  job: (data) => ({ type: 'job', state: jobAnswer(receivedJobAnswerSchema.parse(data)) }),
} as const satisfies { [Type in JobEvent['type']]: (data: unknown) => Extract<JobEvent, { type: Type }> };

/** The events of a stream, without those of unknown types. @throws UnreadableAnswerError */
export async function* readJobEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<JobEvent, void, void> {
  const parser = new EventStreamParser();
  for await (const chunk of chunks) {
    for (const event of parser.push(chunk)) if (isKnown(event.type)) yield readEvent(event.type, event);
  }
}

function isKnown(type: string): type is JobEvent['type'] {
  return Object.hasOwn(READERS, type);
}

function readEvent(type: JobEvent['type'], { data }: ServerSentEvent): JobEvent {
  try {
    return READERS[type](JSON.parse(data));
  } catch (cause) {
    const message = `The service sent an event "${type}" that this program cannot read.`;
    throw new UnreadableAnswerError(message, { status: 200, cause });
  }
}

/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** `message` unless the stream sets it. */
  readonly type: string;
  readonly data: string;
  /** The last id the stream has sent so far; empty if it sent none. */
  readonly id: string;
}

const BYTE_ORDER_MARK = '\uFEFF';
/** Maximum characters of a line, and of an event's data over all its lines. */
const MAX_LINE = 1024 * 1024;
const MAX_DATA = 8 * 1024 * 1024;

/** Parses a stream of server-sent events (WHATWG HTML, 9.2.6), however it is split into chunks. */
export class EventStreamParser {
  /** Buffers a character split between chunks. Node's decoder strips two byte order marks if the first one is split. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #isAtStart = true;
  /** The pieces of the unfinished line. */
  #line = '';
  /** The previous chunk ended with CR, so a LF that follows belongs to it. */
  #isAfterReturn = false;
  #type = '';
  #data: string[] = [];
  #dataLength = 0;
  #id = '';

  /** The events completed by this chunk. @throws UnreadableAnswerError when a line is too long */
  push(bytes: Uint8Array): ServerSentEvent[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return [];
    if (this.#isAtStart && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    this.#isAtStart = false;
    if (this.#isAfterReturn && text.startsWith('\n')) text = text.slice(1);
    this.#isAfterReturn = text.endsWith('\r');
    const lines = text.split(/\r\n|\r|\n/);
    const events: ServerSentEvent[] = [];
    for (const [index, piece] of lines.entries()) {
      this.#line += piece;
      if (this.#line.length > MAX_LINE) throw tooLong();
      if (index === lines.length - 1) break;
      const event = this.#take(this.#line);
      if (event) events.push(event);
      this.#line = '';
    }
    return events;
  }

  /** Handles one line and returns the event that an empty line completes. */
  #take(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined; // a comment
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1);
    this.#set(field, value.startsWith(' ') ? value.slice(1) : value);
    return undefined;
  }

  /** Ignores other fields, including `retry`: the caller decides when to reconnect. */
  #set(field: string, value: string): void {
    if (field === 'event') this.#type = value;
    if (field === 'id' && !value.includes('\0')) this.#id = value;
    if (field !== 'data') return;
    this.#data.push(value);
    this.#dataLength += value.length + 1;
    if (this.#dataLength > MAX_DATA) throw tooLong();
  }

  #dispatch(): ServerSentEvent | undefined {
    const { length } = this.#data;
    const event = { type: this.#type || 'message', data: this.#data.join('\n'), id: this.#id };
    this.#type = '';
    this.#data = [];
    this.#dataLength = 0;
    return length === 0 ? undefined : event;
  }
}

function tooLong(): UnreadableAnswerError {
  return new UnreadableAnswerError('An event of the service is too long.', { status: 200 });
}

/** A webhook as received. */
export interface ReceivedWebhook {
  /** The API key of the request that named the callback, or the secret (`whsec_…`) derived from it. */
  readonly secretOrKey: string;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body as received: parsed and serialized again it may differ. */
  readonly body: string | Uint8Array;
  /** Maximum difference in seconds between its timestamp and this machine's clock; default: 300. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since the epoch; default: now. */
  readonly now?: number;
}

const TOLERANCE_SECONDS = 300;

/**
 * Verifies that a webhook is authentic and recent, and parses it.
 * @example const { job, skin } = verifyWebhook({ secretOrKey: apiKey, headers: request.headers, body });
 * @throws WebhookError when it cannot be trusted
 */
export function verifyWebhook(received: ReceivedWebhook): JobAnswer {
  const { secretOrKey, headers, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = received;
  const id = headerOf(headers, WEBHOOK_HEADERS.id);
  const timestamp = headerOf(headers, WEBHOOK_HEADERS.timestamp);
  const signatures = headerOf(headers, WEBHOOK_HEADERS.signature).split(' ');
  const body =
    typeof received.body === 'string' ? received.body : Buffer.from(received.body).toString('utf8');
  const expected = signWebhook(secretOf(secretOrKey), { id, timestamp, body });
  if (!signatures.some((signature) => isSame(signature, expected))) {
    throw new WebhookError(
      'The signature is invalid: it was signed with another key, or the body was changed.',
    );
  }
  const age = Math.abs(now / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds) {
    throw new WebhookError(
      `The webhook's timestamp differs from now by more than ${toleranceSeconds} seconds.`,
    );
  }
  return readBody(body);
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : recorded(headers, name);
  if (value) return value;
  throw new WebhookError(`The webhook has no header ${name}.`);
}

function recorded(headers: Exclude<ReceivedWebhook['headers'], Headers>, name: string): string | undefined {
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'object' ? value[0] : value;
}

function secretOf(secretOrKey: string): string {
  if (secretOrKey.startsWith(WEBHOOK_SECRET_PREFIX)) return secretOrKey;
  return webhookSecret(createHash('sha256').update(secretOrKey).digest('hex'));
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function readBody(body: string): JobAnswer {
  try {
    return jobAnswer(receivedJobAnswerSchema.parse(JSON.parse(body)));
  } catch (cause) {
    throw new WebhookError('The body of the webhook is not a job.', cause);
  }
}
