import type { ServerResponse } from 'node:http';
import type { Note } from '../../../src/protocol/envelope.ts';

/** An answer before it is sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string as HTML, bytes as PNG. */
  readonly content: Readonly<Record<string, unknown>> | string | Buffer;
}

/** What was collected while a request was answered. */
interface Collected {
  readonly warnings: readonly Note[];
  readonly links: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

interface Said {
  readonly status?: number;
  readonly messages?: readonly Note[];
}

export function note(code: string, message: string): Note {
  return { code, message };
}

/** `formatV2Response`: a success with what was collected on the way; it has no `errors`. */
export function success(
  { warnings, links, headers }: Collected,
  content: Record<string, unknown>,
  { status = 200, messages = [] }: Said = {},
): Answer {
  return { status, headers, content: { success: true, ...content, warnings, messages, links } };
}

/** A page as Express, or a proxy in front of it, sends one. */
export function page(status: number, title: string): Answer {
  const content = `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>${title}</pre>\n</body>\n</html>\n`;
  return { status, headers: {}, content };
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
