import { nameThisNode } from '../../../src/server/queue/leases.ts';
import { skinPng } from '../server/drawn-skins.ts';
import { hastyClock } from '../server/hasty-clock.ts';
import { jobAt } from '../server/job-at.ts';
import { MovableClock } from '../server/movable-clock.ts';
import { poll } from '../server/poll.ts';
import { openOwnStore, type ServerUnderTest } from '../server/running-server.ts';
import type { Heard } from '../server/test-caller.ts';
import { TestQueue } from '../server/test-queue.ts';
import type { RefusalRow } from './refusal-rows.ts';
import { PNG } from './sending.ts';

const ANONYMOUS_PER_MINUTE = 20;
const ANONYMOUS_DELAY = 3_000;
const clock = new MovableClock();

/** Fails the one job that is waiting as a worker would, from another connection to the store. */
export async function failWaitingJob({ dataDir }: ServerUnderTest, code: string): Promise<void> {
  const { db } = await openOwnStore(dataDir);
  const queue = new TestQueue(db, { self: nameThisNode() });
  const lease = await poll(
    () => queue.claim('a worker elsewhere'),
    (claimed) => claimed !== undefined,
  );
  await queue.fail(lease!, { code, message: 'It did not work.', passing: false });
}

const failing =
  (code: string) =>
  async (server: ServerUnderTest): Promise<Heard> => {
    const answer = server.owner.upload('/v2/generate', PNG);
    await failWaitingJob(server, code);
    return await answer;
  };

async function revoked({ owner, user }: ServerUnderTest): Promise<Heard> {
  const bob = await user('bob');
  const { body } = await bob.get('/v2/account/keys');
  await owner.send('DELETE', `/v2/account/keys/${body.keys?.[0]?.id}`);
  return await bob.get('/v2/me');
}

async function fullQueue({ owner }: ServerUnderTest): Promise<Heard> {
  for (let n = 0; n < 5; n++) await owner.upload('/v2/queue', skinPng(n));
  return await owner.upload('/v2/queue', skinPng(5));
}

async function tooMany({ anonymous }: ServerUnderTest): Promise<Heard> {
  for (let n = 0; n < ANONYMOUS_PER_MINUTE; n++) {
    clock.forward(ANONYMOUS_DELAY);
    await anonymous().upload('/v2/generate', skinPng(n));
  }
  clock.forward(ANONYMOUS_DELAY);
  return await anonymous().upload('/v2/generate', skinPng(ANONYMOUS_PER_MINUTE));
}

async function shared({ anonymous }: ServerUnderTest): Promise<Heard> {
  await anonymous('127.0.0.2').upload('/v2/queue', skinPng(1));
  return await anonymous('127.0.0.3').upload('/v2/queue', skinPng(2));
}

async function stopping(server: ServerUnderTest): Promise<Heard> {
  const { body } = await server.owner.upload('/v2/queue', skinPng(1));
  await jobAt(server.owner, body.job?.id, 'processing');
  void server.close();
  return await server.owner.upload('/v2/queue', skinPng(2));
}

async function tooManyStreams({ owner }: ServerUnderTest): Promise<Heard> {
  for (let n = 0; n < 20; n++) await owner.events();
  return await owner.get('/v2/queue/events');
}

async function blocked({ owner }: ServerUnderTest): Promise<Heard> {
  const { body } = await owner.upload('/v2/generate', PNG);
  await owner.json('/v2/account/blocked-images', { skin: body.skin?.uuid });
  return await owner.upload('/v2/queue', PNG);
}

async function othersJob({ owner, user }: ServerUnderTest): Promise<Heard> {
  const { body } = await owner.upload('/v2/queue', PNG);
  return await (await user('bob')).get(`/v2/queue/${body.job?.id}`);
}

async function othersSkin({ owner, user }: ServerUnderTest): Promise<Heard> {
  const { body } = await owner.upload('/v2/generate', PNG, { visibility: 'private' });
  return await (await user('bob')).get(`/v2/skins/${body.skin?.uuid}`);
}

async function likedTwice({ owner }: ServerUnderTest): Promise<Heard> {
  const { body } = await owner.upload('/v2/generate', PNG);
  const path = `/v2/skins/${body.skin?.uuid}/interactions/likes`;
  await owner.json(path, {});
  return await owner.json(path, {});
}

async function brokenStore({ owner, dataDir }: ServerUnderTest): Promise<Heard> {
  const { db } = await openOwnStore(dataDir);
  await db.schema.dropTable('callers').execute();
  return await owner.upload('/v2/generate', PNG);
}

const idle = { workers: 0 };

/** Refusals that need something to have happened. */
export const REFUSAL_STORIES: readonly RefusalRow[] = [
  { code: 'invalid_api_key', when: 'the key was revoked', send: revoked },
  { code: 'job_limit', when: 'every slot is taken', send: fullQueue, options: idle, says: '5' },
  { code: 'concurrency_limit', when: 'a caller follows its jobs 20 times', send: tooManyStreams, says: '20' },
  {
    code: 'rate_limit',
    when: 'an anonymous caller has had 20 in a minute',
    send: tooMany,
    options: { clock },
  },
  {
    code: 'anonymous_limit',
    when: 'callers without a key have used up what they share',
    send: shared,
    options: { anonymousPerHour: 1 },
  },
  { code: 'blocked_image', when: 'an operator has blocked the picture', send: blocked },
  {
    code: 'store_full',
    when: 'the store has grown to its ceiling',
    send: async ({ owner }) => await owner.upload('/v2/queue', PNG),
    options: { maxStoreBytes: 1 },
  },
  {
    code: 'service_unavailable',
    when: 'it is shutting down',
    send: stopping,
    options: { pace: 2_000 },
    says: 'shutting down',
  },
  { code: 'job_not_found', when: "the job is another's", send: othersJob, options: idle },
  { code: 'skin_not_found', when: "the skin is another's private one", send: othersSkin },
  { code: 'already_liked', when: 'the caller likes the skin already', send: likedTwice },
  { code: 'internal_error', when: 'the service is broken inside', send: brokenStore, options: idle },
  {
    code: 'generator_timeout',
    when: 'nobody generates',
    send: ({ owner }) => owner.upload('/v2/generate?timeout=1', PNG),
    options: { ...idle, clock: hastyClock },
  },
  ...(
    [
      'job_failed',
      'internal_error',
      'skin_change_failed',
      'invalid_skin_data',
      'no_account_available',
      'unexpected_error',
    ] as const
  ).map((code) => ({
    code,
    when: `the generation failed with ${code}`,
    send: failing(code),
    options: idle,
    says: 'It did not work.',
  })),
  {
    code: 'job_failed',
    when: 'the generation failed with a code of tomorrow',
    send: failing('nova'),
    options: idle,
  },
];
