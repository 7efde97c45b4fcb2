import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../../src/double/faults.ts';
import type { HostedService } from '../support/hosted/hosted-service.ts';
import { callHosted, runHosted } from '../support/hosted/run-hosted.ts';
import { skinPng } from '../support/server/drawn-skins.ts';

describe('Trouble', () => {
  const lost = { status: 'lost' } as const;
  const TROUBLES: readonly [FaultKind, accepted: number, heard: unknown][] = [
    ['reset', 0, lost],
    ['reset-after', 1, lost],
    ['internal-error', 0, { status: 500, type: 'application/json; charset=utf-8' }],
    ['bad-gateway', 0, { status: 502, type: 'text/html; charset=utf-8' }],
    ['bad-gateway-after', 1, { status: 502, type: 'text/html; charset=utf-8' }],
    ['unavailable', 0, { status: 503, type: 'application/json; charset=utf-8' }],
    ['truncated', 1, { status: 202, isWhole: false }],
    ['cut', 1, lost],
    ['slow', 1, { status: 202, isWhole: true }],
    ['rate-limit', 0, { status: 429, retryAfter: '1' }],
    ['job-limit', 0, { status: 429, retryAfter: '0' }],
    ['concurrency-limit', 0, { status: 429, retryAfter: '0' }],
    ['no-limits', 1, { status: 202, limit: null, isWhole: true }],
  ];

  test.each(TROUBLES)(
    '%s: a submission is accepted %i times, and the client gets %j',
    async (kind, accepted, heard) => {
      const service = await runHosted({ faults: () => ({ kind, wait: 50 }) });
      expect(await upload(service)).toMatchObject(heard as object);
      expect(service.records).toMatchObject({ troubles: { [kind]: 1 }, requests: { submit: 1 } });
      expect(service.records.accepted).toHaveLength(accepted);
      service.faults = undefined;
      expect(await upload(service)).toMatchObject({ isWhole: true });
    },
  );

  test('affects the requested share of requests, the same for the same seed', async () => {
    const troubles = async () => {
      const { caller, service } = await callHosted({
        faults: { seed: 7, share: 0.3, kinds: ['unavailable', 'rate-limit'] },
      });
      for (let n = 0; n < 60; n++) await caller.get('/v2/me');
      return service.records.troubles;
    };
    const first = await troubles();
    expect(first).toEqual({ unavailable: expect.any(Number), 'rate-limit': expect.any(Number) });
    expect(Object.values(first).reduce((sum, count) => sum + count)).toBeLessThan(30);
    expect(await troubles()).toEqual(first);
  });
});

/** What a caller that reads every byte receives. */
async function upload({ url, key }: HostedService): Promise<object> {
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(skinPng(1))]), 'skin.png');
  try {
    const answer = await fetch(`${url}/v2/queue`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${key}` },
    });
    const text = await answer.text();
    const { headers } = answer;
    const facts = {
      type: headers.get('content-type'),
      retryAfter: headers.get('retry-after'),
      limit: headers.get('x-ratelimit-limit'),
    };
    return { status: answer.status, ...facts, isWhole: text.endsWith('}') };
  } catch {
    return { status: 'lost' };
  }
}
