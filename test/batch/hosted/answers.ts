import type { ServerResponse } from 'node:http';
import type { Note, RateLimit } from '../../../src/protocol/envelope.ts';
import { ERRORS, type ErrorCode } from '../../../src/protocol/errors.ts';

/** An answer before it is sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string as HTML, bytes as PNG. */
  readonly content: Readonly<Record<string, unknown>> | string | Buffer;
}

interface Talk {
  readonly status?: number;
  readonly messages?: readonly Note[];
  readonly errors?: readonly Note[];
  readonly links?: Readonly<Record<string, string>>;
}

export function note(code: string, message: string): Note {
  return { code, message };
}

export function success(content: Record<string, unknown>, talk: Talk = {}): Answer {
  const { status = 200, messages = [], errors = [], links = {} } = talk;
  return {
    status,
    headers: {},
    content: { success: true, errors, warnings: [], messages, links, ...content },
  };
}

export function refusal(
  code: ErrorCode,
  { message = ERRORS[code].message, links = {} }: { message?: string; links?: Talk['links'] } = {},
): Answer {
  const errors = [note(code, message)];
  const content = { success: false, errors, warnings: [], messages: [], links };
  return { status: ERRORS[code].status, headers: {}, content };
}

export function page(status: number, title: string): Answer {
  return {
    status,
    headers: {},
    content: `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`,
  };
}

/** The same answer with the caller's limits, in its body and in headers. */
export function withLimits(answer: Answer, rateLimit: RateLimit): Answer {
  if (typeof answer.content !== 'object' || Buffer.isBuffer(answer.content)) return answer;
  const { minute } = rateLimit.limit;
  const headers = {
    ...answer.headers,
    'x-ratelimit-limit': String(minute.limit),
    'x-ratelimit-remaining': String(minute.remaining),
    'x-ratelimit-reset': String(minute.reset),
    'x-ratelimit-delay': String(rateLimit.delay.millis),
    'x-ratelimit-nextrequest': String(rateLimit.next.absolute),
  };
  return { ...answer, headers, content: { ...answer.content, rateLimit } };
}

export function withoutLimits({ status, headers, content }: Answer): Answer {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith('x-ratelimit-'));
  const rest = typeof content === 'object' && !Buffer.isBuffer(content) ? omitLimits(content) : content;
  return { status, headers: Object.fromEntries(kept), content: rest };
}

function omitLimits({ rateLimit: _, ...rest }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return rest;
}

/** First error code of an answer that refuses. */
export function refusalCode({ status, content }: Answer): string | undefined {
  if (status < 400) return undefined;
  const { errors } = content as { errors?: readonly Note[] };
  return errors?.[0]?.code ?? `http_${status}`;
}

/** Head and body as they go over the wire. */
export function encodeAnswer({ status, headers, content }: Answer): {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
} {
  const [type, body] = encodeContent(content);
  return {
    status,
    headers: { 'content-type': type, ...headers, 'content-length': String(body.length) },
    body,
  };
}

function encodeContent(content: Answer['content']): [type: string, body: Buffer] {
  if (typeof content === 'string') return ['text/html; charset=utf-8', Buffer.from(content)];
  if (Buffer.isBuffer(content)) return ['image/png', content];
  return ['application/json; charset=utf-8', Buffer.from(JSON.stringify(content))];
}

export function send(response: ServerResponse, answer: Answer): void {
  const { status, headers, body } = encodeAnswer(answer);
  response.writeHead(status, headers).end(body);
}
