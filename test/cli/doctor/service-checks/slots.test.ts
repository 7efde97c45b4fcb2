import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { errors, me, NOBODY, NOT_FOUND, servedSetup } from '../../../support/cli/setup.ts';

const ME = 'GET /v2/me';

describe('The check of the slots', () => {
  const job = (status: string) => ({ id: status, status, timestamp: 1 });
  test.each([
    ['free ones', ['waiting', 'completed', 'failed'], 'ok', '1 of 2'],
    ['none', ['waiting', 'processing'], 'warning', '2 of 2'],
  ])('looks for free slots and finds %s', async (_, statuses, result, taken) => {
    const list = { expect: 'GET /v2/queue', json: { success: true, jobs: statuses.map(job) } };
    const { setup } = await servedSetup([{ expect: ME, json: me() }, list]);
    const detail = `${taken} slots in the queue are taken.`;
    expect(await CHECKS.slots.look(setup)).toMatchObject({ result, detail });
  });

  test('is skipped if the service lists jobs only for users', async () => {
    const list = { expect: 'GET /v2/queue', status: 401, json: errors('unauthorized', 'No.') };
    const { setup } = await servedSetup([NOBODY, list], '');
    expect((await CHECKS.slots.look(setup)).result).toBe('skipped');
  });

  test('throws any other refusal of the service', async () => {
    const { setup } = await servedSetup([NOBODY, { expect: 'GET /v2/queue', ...NOT_FOUND }]);
    await expect(CHECKS.slots.look(setup)).rejects.toMatchObject({ code: 'not_found' });
  });
});
