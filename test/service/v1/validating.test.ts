import { expect, test } from 'vitest';
import { runGame } from '../../support/fake-game/run-game.ts';
import { bodyOf } from '../../support/http/v1/old-format.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

test('A player is valid by name, in any case, and by UUID, with and without dashes', async () => {
  const fake = await runGame();
  const { id, name } = fake.addPlayer({ name: 'Smith_7' });
  const { anonymous } = await runServer({ gameAddresses: fake.addresses });
  const dashed = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const byName = ['name/Smith_7', 'name/smith_7', 'user/Smith_7'];
  for (const path of [...byName, `uuid/${id}`, `uuid/${dashed}`, `currentUsername/${id}`]) {
    const heard = await anonymous().get(`/validate/${path}`);
    expect([path, heard.status, bodyOf(heard)]).toEqual([path, 200, { valid: true, uuid: id, name }]);
  }
});

test('A name or UUID that no player has is not valid', async () => {
  const fake = await runGame();
  const { anonymous } = await runServer({ gameAddresses: fake.addresses });
  for (const path of ['name/Nobody_1', `uuid/${'0'.repeat(12)}4${'0'.repeat(19)}`]) {
    const heard = await anonymous().get(`/validate/${path}`);
    expect([path, heard.status, bodyOf(heard)]).toEqual([path, 404, { valid: false }]);
  }
  expect((await anonymous().get('/validate/name/seventeen_letters')).status).toBe(400);
});

test('An impossible player name is invalid, without a request', async () => {
  const { anonymous } = await runServer();
  for (const path of ['name/not-a-name', 'user/M%C3%BCller', 'name/a%20b']) {
    const heard = await anonymous().get(`/validate/${path}`);
    expect([path, heard.status, bodyOf(heard)]).toEqual([path, 404, { valid: false }]);
  }
});
