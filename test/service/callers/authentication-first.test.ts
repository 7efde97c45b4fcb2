import { expect, test } from 'vitest';
import { ROUTES } from '../../../src/server/http/routes/routes.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { sampled } from '../../support/setup/extent.ts';

guardAgainstLeaks();

/** An address of the route that its schemas refuse, with a parameter that no schema knows. */
function invalidAddress(path: string): string {
  return `${path.replaceAll(/:\w+/g, '%20')}?size=-1&bogus=1`;
}

const ROUTES_THAT_KNOW_CALLERS = ROUTES.filter(({ authenticated }) => authenticated).flatMap(
  ({ method, paths }) => paths.map((path) => ({ method, path })),
);

test('An invalid key is reported before anything else that is wrong with a request, on every route', async () => {
  const { anonymous } = await runServer();
  expect(ROUTES_THAT_KNOW_CALLERS.length).toBeGreaterThan(50);
  for (const { method, path } of sampled(ROUTES_THAT_KNOW_CALLERS, 3)) {
    const headers = { authorization: `Bearer ${'0'.repeat(64)}`, 'content-type': 'application/json' };
    const body = method === 'GET' ? {} : { body: '{"variant": ' };
    const { status, bytes } = await anonymous().send(method, invalidAddress(path), { headers, ...body });
    const text = bytes.toString('utf8');
    expect({ method, path, status, text }).toMatchObject({
      status: 403,
      text: expect.stringContaining('invalid_api_key'),
    });
  }
});
