import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { takesGzip } from '../encodings.ts';
import type { HttpRequest } from '../request.ts';
import type { Answer } from '../route.ts';

const zip = promisify(gzip);

/** Shortest page worth compressing, in characters. */
const LEAST = 1_000;

/**
 * The page compressed, if the browser takes that. Only for pages of people who are not signed in: the length of a
 * compressed page tells something of what is on it to whoever sees the length and can have a text put on it too.
 */
export async function compressed(answer: Answer, request: Pick<HttpRequest, 'headers'>): Promise<Answer> {
  const { body } = answer;
  if (typeof body !== 'string' || body.length < LEAST || !takesGzip(request)) return answer;
  return { ...answer, body: await zip(body), headers: { ...answer.headers, 'Content-Encoding': 'gzip' } };
}
