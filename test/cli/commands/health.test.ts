import { expect, test } from 'vitest';
import { VERSION } from '../../../src/base/version.ts';
import { health, runHealth } from '../../../src/cli/commands/health.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { webServer } from '../../support/server/web-server.ts';

describeParsing('health', health, { taken: [[[]]], refused: [[['x'], /too many arguments/]] });

guardAgainstLeaks();

test('health prints what the service says of itself, and needs no key', async () => {
  const { url } = await runServer({ workers: 0, anonymous: false });
  expect(await runCommand(runHealth, { url })).toMatchObject({ status: 0, out: `ok\t${VERSION}\t${url}\n` });
  const json = JSON.parse((await runCommand(runHealth, { url, flags: { json: true } })).out);
  expect(json).toEqual({ status: 'ok', version: VERSION, service: url });
});

test.each([
  [503, '{"status":"trouble","version":"1.0.0"}', /is not healthy: trouble\.$/],
  [200, '<html>', /is not healthy: status 200\.$/],
  [500, '{"status":"\\u001b[31mred","version":"1"}', /is not healthy: red\.$/],
])('health fails with the advice to try again if the service answers %i', async (status, body, message) => {
  const { url } = await webServer((_, response) => void response.writeHead(status).end(body));
  const { out, told } = await runCommand(runHealth, { url });
  expect([out, told]).toEqual([
    '',
    expect.objectContaining({ code: 'unhealthy', exit: 'tryLater', message: expect.stringMatching(message) }),
  ]);
});

test('health fails if nothing answers', async () => {
  const { told } = await runCommand(runHealth, { url: 'http://127.0.0.1:1' });
  expect(told).toMatchObject({ code: 'unhealthy', exit: 'tryLater' });
});
