import { describe, expect, test } from 'vitest';
import { ServiceError, UnreadableAnswerError } from '../../../src/client/errors.ts';
import { makeJob, makeRateLimit, makeSkin, refusal } from '../../support/client/answers.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';
import { failureOf, testClient } from '../../support/client/test-client.ts';

const BATCH = 'POST /v2/queue/batch';
const file = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
const one = { source: { url: 'https://skins.example/a.png' } };

const answered = (batch: readonly unknown[], rest: object = {}): Exchange => ({
  expect: BATCH,
  status: 202,
  json: { success: true, batch, ...rest },
});

describe('SkinClient.queueBatch', () => {
  test('sends each skin with its options, files as data URLs, under one idempotency key', async () => {
    const taken = { success: true, job: makeJob() };
    const { client, server } = await testClient([answered([taken, taken, taken, taken])]);
    await client.queueBatch(
      [
        { source: { file, fileName: 'a.png' }, options: { name: 'A', variant: undefined } },
        { source: { file: new Blob([file]) } },
        { source: { url: 'https://skins.example/b.png' }, options: { cape: 'ab'.repeat(16) } },
        { source: { user: '61699b2ed3274a019f1e0ea8c3f06bc6' } },
      ],
      { idempotencyKey: 'k' },
    );
    const [request] = server.seen;
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'k' });
    expect(JSON.parse(String(request?.body))).toEqual({
      batch: [
        { url: `data:image/png;base64,${Buffer.from(file).toString('base64')}`, name: 'A' },
        { url: `data:image/png;base64,${Buffer.from(file).toString('base64')}` },
        { url: 'https://skins.example/b.png', cape: 'ab'.repeat(16) },
        { user: '61699b2ed3274a019f1e0ea8c3f06bc6' },
      ],
    });
  });

  test("returns the result for each skin, in the service's own words", async () => {
    const skin = makeSkin();
    const { client } = await testClient([
      answered(
        [
          { success: true, job: makeJob({ status: 'active' as 'waiting' }), skin: null, errors: [] },
          { success: true, job: makeJob({ status: 'completed', result: skin.uuid }), skin },
          { success: false, job: null, errors: [{ code: 'job_limit', message: 'No.' }, { odd: 1 }] },
          { success: false, errors: 'none' },
        ],
        { rateLimit: makeRateLimit() },
      ),
    ]);
    const { items, rateLimit } = await client.queueBatch([one, one, one, one]);
    expect(items).toMatchObject([
      { success: true, job: { status: 'processing' }, errors: [] },
      { success: true, job: { result: skin.uuid }, skin: { uuid: skin.uuid } },
      { success: false, job: undefined, errors: [{ code: 'job_limit' }, { code: '', message: '' }] },
      { success: false, job: undefined, skin: undefined, errors: [], warnings: [] },
    ]);
    expect(rateLimit).toEqual(makeRateLimit());
  });

  test('reports an answer that lacks a result', async () => {
    const { client } = await testClient([answered([{ success: true, job: makeJob() }])]);
    const error = await failureOf(client.queueBatch([one, one]));
    expect(error).toBeInstanceOf(UnreadableAnswerError);
  });

  test('says so when the caller may not send batches', async () => {
    const { client } = await testClient([
      { expect: BATCH, status: 403, json: refusal('insufficient_grants') },
    ]);
    const error = await failureOf(client.queueBatch([one]));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'insufficient_grants', status: 403 });
  });
});

describe('SkinClient.capes', () => {
  test('reads what the hosted service sends, and what its older versions sent', async () => {
    const url = 'http://textures.example/texture/cc33';
    const capes = [
      { uuid: 'ef9e95b6-48a3-4fd7-93d4-7e7d9448d2f1', alias: 'A', hash: 'cc33', url, support: 'owner' },
      { uuid: 'ef9e95b6-48a3-4fd7-93d4-7e7d9448d2f2', alias: null, url, supported: 'yes' },
    ];
    const { client } = await testClient([{ expect: 'GET /v2/capes', json: { success: true, capes } }]);
    expect(await client.capes()).toEqual([
      capes[0],
      { uuid: capes[1]?.uuid, alias: '', url, hash: undefined, supported: undefined },
    ]);
  });
});
