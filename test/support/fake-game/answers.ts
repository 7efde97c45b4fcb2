import type { ServerResponse } from 'node:http';

/** An answer before it is sent. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes are sent as PNG, a string as HTML, anything else as JSON; undefined: an empty body. */
  readonly content?: unknown;
}

/** The shape of a refusal; the real services use all of them. */
export type BodyShape = 'empty' | 'html' | 'json';

export function ok(content: unknown): Answer {
  return { status: 200, content };
}

export function page(title: string): string {
  return `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
}

/** A refusal in the given shape; `json`: what it says in JSON. */
export function shaped(status: number, shape: BodyShape, json: Readonly<Record<string, unknown>>): Answer {
  const contents = { empty: undefined, html: page(`${status}`), json };
  return { status, content: contents[shape] };
}

export function badImage(errorMessage = 'Could not validate image data.'): Answer {
  return { status: 400, content: { path: '/minecraft/profile/skins', errorMessage } };
}

export function unauthorized(shape: BodyShape = 'empty'): Answer {
  return shaped(401, shape, {
    path: '/minecraft/profile/skins',
    errorType: 'UnauthorizedOperationException',
    error: 'UnauthorizedOperationException',
    errorMessage: 'Unauthorized',
    developerMessage: 'Unauthorized',
  });
}

export function forbidden(shape: BodyShape = 'json'): Answer {
  return shaped(403, shape, {
    path: '/minecraft/profile/skins',
    errorType: 'ForbiddenOperationException',
    error: 'ForbiddenOperationException',
    errorMessage: 'Forbidden',
  });
}

export function suspended(): Answer {
  const errorMessage = 'The account has been suspended.';
  return { status: 403, content: { path: '/minecraft/profile', error: 'ACCOUNT_SUSPENDED', errorMessage } };
}

export function notFound(path: string): Answer {
  return { status: 404, content: { path, error: 'NOT_FOUND', errorMessage: 'Not Found' } };
}

export function send(response: ServerResponse, { status, headers = {}, content }: Answer): void {
  const [type, body] = encode(content);
  response.writeHead(status, { ...type, ...headers, 'content-length': body.length }).end(body);
}

function encode(content: unknown): [type: Record<string, string>, body: Buffer] {
  if (content === undefined) return [{}, Buffer.alloc(0)];
  if (Buffer.isBuffer(content)) return [{ 'content-type': 'image/png' }, content];
  if (typeof content === 'string')
    return [{ 'content-type': 'text/html; charset=utf-8' }, Buffer.from(content)];
  return [{ 'content-type': 'application/json' }, Buffer.from(gameJson(content))];
}

/** JSON as the game's services write it. */
export function gameJson(content: unknown): string {
  return JSON.stringify(content, null, 2).replace(/^( *"\w+"): /gm, '$1 : ');
}
