import { describe, expect, test } from 'vitest';
import { findSkin, skinFinder } from '../../../src/batch/sources/supplied-skin.ts';
import type { SkinClient } from '../../../src/client/skin-client.ts';
import type { CallOptions } from '../../../src/client/types.ts';
import { failureOf, testClient } from '../../support/client/test-client.ts';

const UUID = 'ab'.repeat(16);
const REQUEST = `GET /v2/skins/${UUID}`;
const refusal = { success: false, errors: [{ code: 'a_code', message: 'No.' }] };

describe('A service that answers about a skin', () => {
  test.each([400, 403, 404, 410, 422])('has no such skin when it answers %i', async (status) => {
    const { client } = await testClient([{ expect: REQUEST, status, json: refusal }]);
    expect(await findSkin(client, UUID, {})).toBeUndefined();
  });

  test.each([401, 402, 405, 409, 411, 423])(
    'leaves open whether it has the skin when it answers %i',
    async (status) => {
      const { client } = await testClient([{ expect: REQUEST, status, json: refusal }]);
      expect(await failureOf(findSkin(client, UUID, {}))).toMatchObject({ status });
    },
  );
});

test('A service that has answered once is given a quarter of an hour to answer again', async () => {
  const calls: (CallOptions | undefined)[] = [];
  const texture = { data: { value: 'v', signature: 's' } };
  const client = {
    skin: async (uuid: string, call?: CallOptions) => {
      calls.push(call);
      if (calls.length === 1) throw new Error('It is down.');
      return { uuid, name: 'Ann', visibility: 'unlisted', texture };
    },
  } as unknown as SkinClient;
  const { signal } = new AbortController();
  const find = skinFinder(async () => client, { signal });
  await expect(find(UUID)).rejects.toThrow('It is down.');
  const skin = { uuid: UUID, name: 'Ann', visibility: 'unlisted', value: 'v', signature: 's' };
  expect([await find(UUID), await find(UUID)]).toEqual([skin, skin]);
  expect(calls).toEqual([{ signal }, { signal }, { signal, retry: { budget: 900_000, patience: 900_000 } }]);
});
