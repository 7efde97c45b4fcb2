import { describe, expect, test } from 'vitest';
import { inPublishedWords } from '../../support/contract/deviations.ts';
import { PublishedContract } from '../../support/http/published-contract.ts';
import { failWaitingJob } from '../../support/http/refusal-stories.ts';
import { parts, post, upload } from '../../support/http/sending.ts';
import type { Body } from '../../support/server/answer-body.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { hastyClock } from '../../support/server/hasty-clock.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { jobAt } from '../../support/server/job-at.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import type { Heard } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const contract = new PublishedContract();

function published(body: Body): unknown {
  return JSON.parse(inPublishedWords(JSON.stringify(body)));
}

type Operation = Parameters<PublishedContract['faults']>[0];

function expectAsPublished(operation: Operation, { status, body }: Heard, expected: number): void {
  expect([operation, status, contract.faults(operation, status, published(body))]).toEqual([
    operation,
    expected,
    [],
  ]);
}

describe('Matches the published contract:', () => {
  test.each(['/v2/generate', '/v2/queue'] as const)(
    'every answer of POST %s that brings a skin',
    async (path) => {
      const { owner, anonymous } = await runServer();
      await owner.upload('/v2/generate', skinPng(1));
      for (const caller of [owner, anonymous()])
        expectAsPublished(`post ${path}`, await caller.upload(path, skinPng(1), { name: 'Smith' }), 200);
    },
  );

  test('a new skin, with and without a name, of each visibility and variant', async () => {
    const { owner } = await runServer();
    const usual = { visibility: 'public', variant: 'classic', name: null };
    for (const [fields, expected] of [
      [{}, usual],
      [{ name: 'Smith' }, { ...usual, name: 'Smith' }],
      [
        { visibility: 'unlisted', variant: 'slim' },
        { visibility: 'unlisted', variant: 'slim' },
      ],
      [
        { visibility: 'private', variant: 'unknown' },
        { visibility: 'private', variant: 'classic' },
      ],
    ] as [Record<string, string>, object][]) {
      const heard = await owner.upload('/v2/generate', skinPng(1), fields);
      expectAsPublished('post /v2/generate', heard, 200);
      expect(heard.body.skin).toMatchObject(expected);
    }
  });

  test('a job that is queued, joined or over the limit', async () => {
    const { owner, anonymous } = await runServer({ workers: 0 });
    for (const caller of [owner, anonymous()]) {
      for (const n of [0, 0, 1, 2, 3, 4])
        expectAsPublished('post /v2/queue', await caller.upload('/v2/queue', skinPng(n)), 202);
      expectAsPublished('post /v2/queue', await caller.upload('/v2/queue', skinPng(9)), 429);
      expectAsPublished('post /v2/generate', await caller.upload('/v2/generate', skinPng(9)), 429);
      expectAsPublished('get /v2/queue', await caller.get('/v2/queue'), 200);
    }
  });

  test.each([
    ['a bad option', upload(skinPng(1), { visibility: 'secret' })],
    ['no picture', upload(Buffer.from('no picture'))],
    ['nothing to generate from', post({})],
    ['no file', parts(['name', 'Smith'])],
    ['a bad player', post({ user: '?' })],
  ] as const)('a refusal for %s', async (_, send) => {
    expectAsPublished('post /v2/generate', await send(await runServer()), 400);
  });

  test('a request that stopped waiting for its skin', async () => {
    const { owner } = await runServer({ workers: 0, clock: hastyClock });
    expectAsPublished('post /v2/generate', await owner.upload('/v2/generate?timeout=1', skinPng(1)), 500);
  });

  test('a completed job, the list with it, its skin, the list with that, the caller and the limits', async () => {
    const { owner, anonymous } = await runServer();
    const { job } = (await owner.upload('/v2/queue', skinPng(1), { name: 'Smith' })).body;
    const done = await jobAt(owner, job?.id, 'completed');
    expectAsPublished('get /v2/queue/{jobId}', done, 200);
    expectAsPublished('get /v2/queue', await owner.get('/v2/queue'), 200);
    expectAsPublished('get /v2/skins/{uuid}', await owner.get(`/v2/skins/${done.body.skin?.uuid}`), 200);
    expectAsPublished('get /v2/skins/{uuid}', await owner.get(`/v2/skins/${'0'.repeat(32)}`), 404);
    expectAsPublished('get /v2/skins', await owner.get('/v2/skins?size=1&filter=Smith'), 200);
    expectAsPublished('get /v2/me', await owner.get('/v2/me'), 200);
    expectAsPublished('get /v2/me', await anonymous().get('/v2/me'), 404);
    expectAsPublished('get /v2/me', await owner.get('/v2/me', { authorization: 'Bearer none' }), 403);
    for (const caller of [owner, anonymous()])
      expectAsPublished('get /v2/delay', await caller.get('/v2/delay'), 200);
  });
});

describe('Known difference from the published contract:', () => {
  async function processingJob(server: ServerUnderTest): Promise<Heard> {
    const { job } = (await server.owner.upload('/v2/queue', skinPng(1))).body;
    return await jobAt(server.owner, job?.id, 'processing');
  }

  test('a job at work is "processing", where the contract says "active"', async () => {
    const server = await runServer(new HeldWork().options);
    const { body } = await processingJob(server);
    expect(contract.faultsAs('QueueProcessingResponse', body)).toEqual([
      expect.stringContaining('/job/status must be equal to one of the allowed values'),
    ]);
    expect(contract.faultsAs('QueueProcessingResponse', published(body))).toEqual([]);
  });

  test('a skin without a name has null for one, where the contract has texts only', async () => {
    const { owner } = await runServer();
    const { body } = await owner.upload('/v2/generate', skinPng(1));
    expect(contract.faults('post /v2/generate', 200, body)).toEqual([
      expect.stringContaining('/skin/name must be string'),
    ]);
    const listed = (await owner.get('/v2/skins')).body;
    expect(contract.faults('get /v2/skins', 200, listed)).toEqual([
      expect.stringContaining('/skins/0/name must be string'),
    ]);
  });

  test('a pending or failed job has no skin, where the contract always wants one', async () => {
    const server = await runServer({ workers: 0 });
    const { job } = (await server.owner.upload('/v2/queue', skinPng(1))).body;
    const pending = await server.owner.get(`/v2/queue/${job?.id}`);
    await failWaitingJob(server, 'job_failed');
    const failed = await server.owner.get(`/v2/queue/${job?.id}`);
    for (const { status, body } of [pending, failed]) {
      expect(contract.faults('get /v2/queue/{jobId}', status, body)).toEqual([
        expect.stringContaining(`must have required property 'skin'`),
      ]);
      expect(contract.faultsAs('QueueProcessingResponse', body)).toEqual([]);
    }
  });

  test('an unknown job is a 404, which the contract does not mention', async () => {
    const { owner } = await runServer();
    const { status, body } = await owner.get('/v2/queue/none');
    expect(contract.faults('get /v2/queue/{jobId}', status, body)).toEqual([
      'get /v2/queue/{jobId} has no answer 404',
    ]);
    expect(contract.faultsAs('NotFoundErrorResponse', body)).toEqual([]);
  });
});

test('The contract check does refuse invalid answers', () => {
  expect(contract.faultsAs('GenerateSuccessResponse', { success: true })).not.toEqual([]);
  expect(contract.faultsAs('QueueListResponse', { jobs: [{ id: 'a', status: 'new' }] })).not.toEqual([]);
  expect(contract.faultsAs('NoSuchResponse', {})).not.toEqual([]);
});
