import { expect, test } from 'vitest';
import type { Diagnosis } from '../../../src/protocol/service.ts';
import { storeKind } from '../../support/postgres/on-postgres.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const DOCTOR = '/v2/account/doctor';

const FINDINGS = {
  sqlite: ['store_schema', 'store_sound'],
  postgres: ['schema', 'reached', 'clock', 'pool', 'connections', 'listener'].map((code) => `store_${code}`),
};

test('The operator gets the health of the service, checked each time', async () => {
  const { owner, url } = await runServer();
  const { status, headers, body } = await owner.get(DOCTOR);
  const { publicUrl, generator, store } = body as unknown as Diagnosis;
  expect({ status, publicUrl, cache: headers['cache-control'] }).toEqual({
    status: 200,
    publicUrl: url,
    cache: 'no-store',
  });
  expect(generator).toMatchObject({ kind: 'signing', findings: [{ code: 'signing_key', result: 'ok' }] });
  expect(store.findings.map(({ code }) => code)).toEqual(FINDINGS[storeKind()]);
});

test('Nobody but the operator gets the health of the service', async () => {
  const { anonymous, user } = await runServer();
  expectRefusal(await anonymous().get(DOCTOR), 'unauthorized');
  expectRefusal(await (await user('bob')).get(DOCTOR), 'insufficient_grants');
});
