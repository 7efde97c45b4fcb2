import { randomUUID } from 'node:crypto';
import { errors } from 'undici';
import { expect } from 'vitest';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { drawSkin, skinPng } from '../server/drawn-skins.ts';
import { type Heard, TestCaller } from '../server/test-caller.ts';
import type { ServerProcess } from './server-process.ts';

/** Milliseconds between attempts. */
const PAUSE = 300;
/** Seconds that a waiting client gives the service for a skin, from when a worker has taken its job. */
const WAIT = 5;

/** Whether an answer is a failure of the service, or of a server that does not stop properly. */
export function isFault({ status, body }: Heard): boolean {
  return status >= 300 && status !== 429 && body.errors?.[0]?.code !== 'service_unavailable';
}

/**
 * Whether an answer is neither what was asked for, nor a refusal that says when to come again, nor word that a job takes
 * longer than its client waits. A node that was paused finds that a request has come too late: 408.
 */
export function isRude({ status, headers, body }: Heard): boolean {
  if (body.errors?.[0]?.code === 'generator_timeout') return body.links?.['job'] === undefined;
  return status >= 300 && !([408, 429, 503].includes(status) && headers['retry-after']);
}

interface Client {
  readonly key: string;
  /** Number of the first picture; the others follow it. */
  readonly pictures: number;
  readonly pick: () => Pick<ServerProcess, 'url'>;
  readonly onHeard: (heard: Heard) => void;
}

/** Jobs after which the first request comes again: its own job has ended by then. */
const REPEATED_AFTER = 10;

/**
 * A patient client: it sends each picture under a key of its own until a node answers with a job. It repeats its first
 * request once, as if the answer had been lost, and gets the same job.
 */
export async function submitUntil(isOver: () => boolean, { pictures, ...client }: Client): Promise<string[]> {
  const accepted: string[] = [];
  const submit = async (picture: number, key: string) => {
    const headers = { 'idempotency-key': key };
    const heard = await ask({ ...client, picture, headers, isOver, path: '/v2/queue' });
    return heard && String(heard.body.job?.id);
  };
  const firstKey = randomUUID();
  for (let picture = pictures; !isOver(); picture++) {
    const job = await submit(picture, picture === pictures ? firstKey : randomUUID());
    if (job !== undefined) accepted.push(job);
    if (accepted.length !== REPEATED_AFTER) continue;
    const again = await submit(pictures, firstKey);
    expect(again ?? accepted[0]).toBe(accepted[0]); // undefined: the test has ended
  }
  return accepted;
}

/**
 * A client that waits for each skin on the line, and asks again until it comes, also after everything else is over.
 * Resolves to how many came, each of them the one that was asked for.
 */
export async function generateUntil(isOver: () => boolean, { pictures, ...client }: Client): Promise<number> {
  const path = `/v2/generate?timeout=${WAIT}`;
  let picture = pictures;
  do {
    const heard = await ask({ ...client, picture, path, isOver: () => false });
    expectSkinOf(picture, heard!);
    picture++;
  } while (!isOver());
  return picture - pictures;
}

function expectSkinOf(picture: number, { body }: Heard): void {
  const { data, hash } = body.skin?.texture ?? {};
  const signed = Buffer.from(data?.value ?? '', 'base64').toString();
  const asked = pixelHash(drawSkin(picture));
  expect(hash).toEqual({ skin: asked });
  expect(signed).toContain(asked);
  expect(data?.signature).toMatch(/./);
}

interface Request extends Omit<Client, 'pictures'> {
  readonly path: string;
  readonly picture: number;
  readonly headers?: Record<string, string>;
  readonly isOver: () => boolean;
}

/** Repeats a request until it succeeds; undefined: the test ended first. @throws HeadersTimeoutError */
async function ask({
  path,
  picture,
  headers,
  key,
  pick,
  isOver,
  onHeard,
}: Request): Promise<Heard | undefined> {
  const file = `data:image/png;base64,${skinPng(picture).toString('base64')}`;
  while (!isOver()) {
    const { url } = pick();
    const caller = url === undefined ? undefined : new TestCaller(url, { key, isOurs: false });
    const heard = await caller
      ?.json(path, { url: file, variant: 'classic' }, headers)
      .catch((error: unknown) => {
        if (error instanceof errors.HeadersTimeoutError) throw error;
        return undefined; // the node is gone
      });
    if (heard) onHeard(heard);
    if (heard && heard.status < 300) return heard;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return undefined;
}
