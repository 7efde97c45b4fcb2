import { describe, expect, test } from 'vitest';
import type { SkinClient } from '../../../src/client/skin-client.ts';
import type { RequestReport } from '../../../src/client/types.ts';
import { makeJob, makeSkin, refusal } from '../../support/client/answers.ts';
import { cutBefore, type Exchange } from '../../support/client/scripted-server.ts';
import { testClient } from '../../support/client/test-client.ts';

const source = { url: 'https://skins.example/a.png' };
const queued: Exchange = { expect: 'POST /v2/queue', json: { success: true, job: makeJob() } };

describe('onRequest', () => {
  async function reportsOf(
    script: Exchange[],
    call: (client: SkinClient) => Promise<unknown>,
    timeout = 60_000,
  ) {
    const reports: RequestReport[] = [];
    const { client } = await testClient(script, {
      timeout,
      retry: { budget: 300 },
      onRequest: (report) => void reports.push(report),
    });
    await call(client).catch(() => {});
    return reports;
  }

  test('reports every attempt with its status, without the query', async () => {
    const down = { expect: 'GET /v2/skins?filter=secret', status: 503, json: refusal('service_unavailable') };
    const skins = { ...down, status: 200, json: { success: true, skins: [] } };
    const reports = await reportsOf([down, skins], (client) => client.publicSkins({ filter: 'secret' }));
    expect(reports).toEqual([
      {
        method: 'GET',
        path: '/v2/skins',
        status: 503,
        error: 'service_unavailable',
        milliseconds: expect.any(Number),
      },
      { method: 'GET', path: '/v2/skins', status: 200, milliseconds: expect.any(Number) },
    ]);
  });

  test('reports the received status: an accepted job is a 202', async () => {
    const reports = await reportsOf([{ ...queued, status: 202 }], (client) => client.queue(source));
    expect(reports).toMatchObject([{ method: 'POST', path: '/v2/queue', status: 202 }]);
  });

  test('reports an answer that never arrived', async () => {
    const reports = await reportsOf([{ ...queued, act: cutBefore }], (client) => client.queue(source));
    expect(reports).toMatchObject([{ path: '/v2/queue', status: undefined, error: 'unreachable' }]);
  });

  test('reports an aborted call in a word', async () => {
    const reports = await reportsOf([], (client) => client.me({ signal: AbortSignal.abort() }));
    expect(reports).toEqual([
      { method: 'GET', path: '/v2/me', error: 'aborted', milliseconds: expect.any(Number) },
    ]);
  });

  test('reports neither keys nor bodies', async () => {
    const skin = makeSkin();
    const reports = await reportsOf(
      [{ expect: 'POST /v2/generate?timeout=30', json: { success: true, skin } }],
      (client) => client.generate(source),
    );
    expect(Object.keys(reports[0] ?? {}).sort()).toEqual(['method', 'milliseconds', 'path', 'status']);
  });
});

describe('onEnd', () => {
  test('reports every attempt, whether it has succeeded or failed', async () => {
    const down = { expect: 'GET /v2/skins?filter=a', status: 503, json: refusal('service_unavailable') };
    let [sent, ended] = [0, 0];
    const { client } = await testClient(
      [down, { ...down, status: 200, json: { success: true, skins: [] } }],
      {
        onSend: () => sent++,
        onEnd: () => ended++,
      },
    );
    await client.publicSkins({ filter: 'a' });
    expect([sent, ended]).toEqual([2, 2]);
  });
});
