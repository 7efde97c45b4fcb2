import type { Note } from '../protocol/envelope.ts';
import type { DoubleRequest } from './requests.ts';

/** An answer as it goes over the wire. Names of headers in lower case. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer | ReadableStream<Uint8Array>;
}

/** The outcome of a request: an answer, or a connection that is reset, after half of the answer if there is one. */
export type Outcome =
  | { readonly kind: 'answered'; readonly reply: Reply }
  | { readonly kind: 'cut'; readonly half?: Reply };

export function answered(reply: Reply): Outcome {
  return { kind: 'answered', reply };
}

export function jsonReply(status: number, content: unknown, headers: Reply['headers'] = {}): Reply {
  const all = { 'content-type': 'application/json; charset=utf-8', ...headers };
  return withBody({ status, headers: all }, Buffer.from(JSON.stringify(content)));
}

/** A page as Express, or a proxy in front of a service, sends one. */
export function pageReply(status: number, title: string, headers: Reply['headers'] = {}): Reply {
  const all = { 'content-type': 'text/html; charset=utf-8', ...headers };
  return withBody({ status, headers: all }, Buffer.from(pageOf(title)));
}

function pageOf(title: string): string {
  return `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>${title}</pre>\n</body>\n</html>\n`;
}

/** A refusal of the interface, with what every answer above 399 contains. */
export function refusalReply(status: number, { code, message }: Note, headers: Reply['headers'] = {}): Reply {
  return jsonReply(status, { success: false, errors: [{ code, message }] }, headers);
}

/** A refusal in the form of version 1. `delay`: milliseconds between requests. */
export function v1RefusalReply(
  status: number,
  { code, message }: Note,
  headers: Reply['headers'] = {},
  delay = 0,
): Reply {
  const errorType = status < 500 && !/limit/.test(code) ? 'MineSkinError' : 'GeneratorError';
  const refusal = { success: false, errorType, errorCode: code, error: message };
  return jsonReply(status, { ...refusal, ...v1Delay(delay) }, headers);
}

/** How long a caller of version 1 has to wait between its requests: seconds, except `millis`. */
export function v1Delay(millis: number) {
  const seconds = Math.ceil(millis / 1000);
  return { nextRequest: seconds, delay: seconds, delayInfo: { millis, seconds } };
}

export function withBody({ status, headers }: Omit<Reply, 'body'>, body: Buffer): Reply {
  return { status, headers: { ...headers, 'content-length': String(body.length) }, body };
}

/** The JSON object in an answer; undefined if there is none. */
export function contentOf({ headers, body }: Reply): Readonly<Record<string, unknown>> | undefined {
  if (!Buffer.isBuffer(body) || !String(headers['content-type']).startsWith('application/json'))
    return undefined;
  try {
    const content: unknown = JSON.parse(body.toString('utf8'));
    return isFields(content) ? content : undefined;
  } catch {
    return undefined; // cut on purpose
  }
}

/** First error code of an answer that refuses. */
export function refusalCode(reply: Reply): string | undefined {
  if (reply.status < 400) return undefined;
  const { errors, errorCode } = (contentOf(reply) ?? {}) as {
    errors?: readonly Note[];
    errorCode?: string;
  };
  return errors?.[0]?.code ?? errorCode ?? `http_${reply.status}`;
}

/** The same answer without limits. */
export function withoutLimits(reply: Reply): Reply {
  const { status, headers } = reply;
  const kept = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('x-ratelimit-')),
  );
  const content = contentOf(reply);
  if (!content) return { ...reply, headers: kept };
  const { rateLimit: _, ...rest } = content;
  return jsonReply(status, rest, kept);
}

type Content = Readonly<Record<string, unknown>>;

/**
 * Changes the JSON of answers, successes and refusals alike. Either a function, or a patch for each kind of request:
 * objects are merged where they are there, a patch for a list goes to each of its entries, `(absent)` takes a field
 * away, and anything else (null, for example) replaces what was there.
 * @example { me: { user: null, grants: '(absent)' }, list: { jobs: { timestamp: '2026-02-01T00:00:00Z' } } }
 */
export type Alteration =
  | Partial<Record<DoubleRequest['kind'], unknown>>
  | ((content: Content, request: DoubleRequest) => Content);

/** In a patch: the field is not there at all. */
export const ABSENT = '(absent)';

export function altered(reply: Reply, request: DoubleRequest, alteration: Alteration): Reply {
  const content = contentOf(reply);
  if (!content) return reply;
  const { status, headers } = reply;
  if (typeof alteration === 'function') return jsonReply(status, alteration(content, request), headers);
  const patch = alteration[request.kind];
  return patch === undefined ? reply : jsonReply(status, patched(content, patch), headers);
}

/** Changes a value by a patch, as `Alteration` describes. */
export function patched(value: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  if (Array.isArray(value)) return value.map((entry) => patched(entry, patch));
  const fields = isFields(value) ? { ...value } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === ABSENT) delete fields[name];
    else if (isFields(change) && fields[name] === undefined)
      continue; // a pending job has no skin to change
    else fields[name] = patched(fields[name], change);
  }
  return fields;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A reply as `fetch` answers it. */
export function responseOf({ status, headers, body }: Reply): Response {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of typeof value === 'string' ? [value] : value) all.append(name, one);
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : Buffer.isBuffer(body) ? new Uint8Array(body) : body, {
    status,
    headers: all,
  });
}
