import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../../src/protocol/errors.ts';
import { failWaitingJob } from '../../support/http/refusal-stories.ts';
import { PNG } from '../../support/http/sending.ts';
import { expectOldRefusal, readGenerated, readRefusal } from '../../support/http/v1/old-format.ts';
import { REFUSAL_ROWS } from '../../support/http/v1/refusal-rows.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { hastyClock } from '../../support/server/hasty-clock.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import { webServer } from '../../support/server/web-server.ts';

guardAgainstLeaks();

describe('A request of version 1 is refused in its format', () => {
  test('with the code and the status of what is wrong with it', async () => {
    const server = await runServer();
    for (const { code, when, send, status = ERRORS[code].status } of REFUSAL_ROWS) {
      const heard = await send(server);
      const { errorCode, error } = readRefusal(heard);
      expect([when, errorCode, heard.status]).toEqual([when, code, status]);
      expect(error, when).not.toMatch(/undefined|\[object/);
    }
  });

  test.each(['skin_change_failed', 'no_account_available', 'job_failed'] as const)(
    'with %s when the generation failed with that',
    async (code) => {
      const server = await runServer({ workers: 0 });
      const answer = server.owner.upload('/generate/upload', PNG);
      await failWaitingJob(server, code);
      const refusal = expectOldRefusal(await answer, code, 500);
      expect(refusal).toMatchObject({ error: 'It did not work.', errorType: 'GeneratorError' });
    },
  );

  test('with generator_timeout when a minute is over', async () => {
    const { owner } = await runServer({ workers: 0, clock: hastyClock });
    expectOldRefusal(await owner.upload('/generate/upload', PNG), 'generator_timeout');
    const { body } = await owner.get('/v2/queue');
    expect(body.jobs).toMatchObject([{ status: 'waiting' }]);
  });

  test('with internal_error, and no more, when the service is broken inside', async () => {
    const { owner, dataDir } = await runServer({ clock: new MovableClock() });
    await owner.upload('/generate/upload', PNG);
    const { db } = await openOwnStore(dataDir);
    await db.schema.alterTable('textures').renameTo('gone').execute();
    const refused = await owner.upload('/generate/upload', skinPng(2));
    expect(expectOldRefusal(refused, 'internal_error').delay).toBe(0);
  });

  test('with what is wrong with each field in its one sentence', async () => {
    const { owner } = await runServer();
    const heard = await owner.upload('/generate/upload', PNG, {
      visibility: 'private',
      checkOnly: 'perhaps',
    });
    const { error } = expectOldRefusal(heard, 'validation_error');
    expect(error).toContain('visibility: 0 (public) or 1 (unlisted)');
    expect(error).toContain('checkOnly: ');
  });

  test('with the words that old clients look for', async () => {
    const { owner } = await runServer();
    const refused = await owner.get('/get/delay', { authorization: 'Bearer none' });
    expect(expectOldRefusal(refused, 'invalid_api_key').error).toBe('Invalid API Key');
    expect(expectOldRefusal(await owner.get('/get/id/1'), 'skin_not_found').error).toBe('Skin not found');
  });

  test('with the restriction of its key that it violates', async () => {
    const { owner } = await runServer();
    const { body } = await owner.json('/v2/account/keys', { allowedIps: ['203.0.113.9'] });
    const refused = await owner.get('/get/delay', { authorization: `Bearer ${body.key?.secret}` });
    expect(expectOldRefusal(refused, 'invalid_api_key').error).toBe('Client not allowed');
  });

  test('and everything else in the format of version 2', async () => {
    const { owner } = await runServer();
    for (const path of ['/getting', '/generated', '/v2/get/delay', '/v2/generate/upload']) {
      const { status, body, headers } = await owner.get(path);
      expect([path, status, body.errors?.[0]?.code]).toEqual([path, 404, 'not_found']);
      expect(headers['mineskin-api-version']).toBe('v2');
    }
  });
});

describe('Limits of version 2', () => {
  test('are in the old format with the switch on', async () => {
    const { owner } = await runServer({ workers: 0 });
    for (let n = 0; n < 5; n++) await owner.upload('/v2/queue', skinPng(n));
    const heard = await owner.upload('/generate/upload?v2=true', skinPng(9));
    expectOldRefusal(heard, 'job_limit');
    expect(heard.headers['mineskin-api-version']).toBe('v1-with-v2-compat');
  });
});

test('Version 1 gives the time of the next allowed fetch to the second, and then fetches', async () => {
  const site = await webServer((request, response) => {
    if (request.url === '/skin.png') response.end(skinPng(1));
    else response.writeHead(404).end();
  });
  const clock = new MovableClock();
  const caller = (await runServer({ clock, allowedNetworks: ['127.0.0.0/8'] })).anonymous();
  const ask = async (path: string) => await caller.json('/generate/url', { url: `${site.url}${path}` });
  for (let n = 0; n < 20; n++) expectOldRefusal(await ask('/nothing'), 'invalid_image_url');
  clock.forward(5_000);
  const { delay, delayInfo, nextRequest } = expectOldRefusal(await ask('/skin.png'), 'rate_limit');
  expect([delay, delayInfo, nextRequest]).toEqual([
    56, // the window moves by whole seconds
    { millis: 56_000, seconds: 56 },
    56,
  ]);
  clock.forward(delay * 1_000 - 1);
  expect(expectOldRefusal(await ask('/skin.png'), 'rate_limit').delay).toBe(1);
  clock.forward(1);
  readGenerated(await ask('/skin.png'));
  expect(site.seen).toHaveLength(21);
});
