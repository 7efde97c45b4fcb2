import { randomUUID } from 'node:crypto';
import type { GeneratedData, NewJob, SubmitLimits } from '../../src/server/queue/port.ts';

/** Limits that only the five slots bind. */
export const LIMITS: SubmitLimits = {
  slots: 5,
  perMinute: 1_000,
  perHour: 1_000,
  delay: 0,
  concurrency: 1_000,
  burst: 0,
  priority: 1,
};

/** The picture all these jobs are about: the queue never looks at it. */
export const TEXTURE_HASH = 'a'.repeat(64);

/** A job as it is submitted; `request` names what is asked for. */
export function newJob({
  request = randomUUID(),
  ...over
}: Partial<NewJob> & { request?: string } = {}): NewJob {
  return {
    uuid: randomUUID(),
    owner: 'ann',
    requestKey: request,
    identity: `identity of ${request}`,
    textureHash: TEXTURE_HASH,
    variant: 'classic',
    visibility: 'public',
    name: null,
    capeHash: null,
    via: 'queue',
    ...over,
  };
}

/** What a generator has made. */
export function generated(over: Partial<GeneratedData> = {}): GeneratedData {
  return {
    value: 'dmFsdWU=',
    signature: 'c2lnbmF0dXJl',
    url: 'http://127.0.0.1/textures/a',
    generator_version: '0.0.0',
    cape_url: null,
    account: 'key',
    server: 'host',
    worker: '0',
    duration: 12,
    ...over,
  };
}
