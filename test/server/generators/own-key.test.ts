import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixtureKey } from '../../../src/double/seed.ts';
import type { ServerOptions } from '../../../src/server/server.ts';
import { readMeta } from '../../../src/server/store/meta.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { poll } from '../../support/server/poll.ts';
import {
  giveSigningKey,
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
  WITH_KEY_FILE,
} from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const pathIn = (dataDir: string) => join(dataDir, 'signing-key.pem');

/** A key of 4096 bits that need not be made first. */
async function putOtherKey(dataDir: string): Promise<void> {
  await writeFile(pathIn(dataDir), fixtureKey().export({ type: 'pkcs8', format: 'pem' }));
}

/** A service that signs with the key file in its data folder. */
async function runWithFile(options: Partial<ServerOptions> = {}): Promise<ServerUnderTest> {
  return await runServer({ ...WITH_KEY_FILE, ...options });
}

/** A data folder of a service that has made a skin. */
async function usedFolder(): Promise<string> {
  const server = await runWithFile();
  await server.owner.upload('/v2/generate', skinPng(1));
  await server.close();
  return server.dataDir;
}

async function keptIn(dataDir: string): Promise<string | undefined> {
  return await readMeta((await openOwnStore(dataDir)).db, 'signing-key');
}

test('The first start that finds no fingerprint in the store adopts that of the key', async () => {
  const dataDir = await usedFolder();
  const kept = await keptIn(dataDir);
  expect(kept).toMatch(/^[0-9a-f]{16}$/);
  const { db } = await openOwnStore(dataDir);
  await db.deleteFrom('meta').where('key', '=', 'signing-key').execute();
  await (await runWithFile({ dataDir })).close();
  expect(await keptIn(dataDir)).toBe(kept);
});

test('A start without the key that signed the skins is refused, and no new key is made', async () => {
  const dataDir = await usedFolder();
  await rm(pathIn(dataDir));
  await expect(runWithFile({ dataDir })).rejects.toMatchObject({
    code: 'signing_key_changed',
    message: expect.stringContaining('is missing'),
    hint: expect.stringMatching(/--signing-key.*--base-url.*--new-signing-key/),
  });
  expect(existsSync(pathIn(dataDir))).toBe(false);
});

test('A start without the key is also refused if the store has no fingerprint', async () => {
  const dataDir = await usedFolder();
  const { db } = await openOwnStore(dataDir);
  await db.deleteFrom('meta').where('key', '=', 'signing-key').execute();
  await rm(pathIn(dataDir));
  await expect(runWithFile({ dataDir })).rejects.toMatchObject({ code: 'signing_key_changed' });
});

test('A start with another key is refused, unless the operator continues with it knowingly', async () => {
  const dataDir = await usedFolder();
  const kept = await keptIn(dataDir);
  await putOtherKey(dataDir);
  await expect(runWithFile({ dataDir })).rejects.toMatchObject({ code: 'signing_key_changed' });
  await (await runWithFile({ dataDir, newSigningKey: true })).close();
  expect(await keptIn(dataDir)).not.toBe(kept);
  await (await runWithFile({ dataDir })).close();
});

test('Skins that an earlier key has signed are still of this server, on their pages and in lockfiles', async () => {
  const publicUrl = 'http://skins.example';
  const { dataDir, key, ...before } = await runWithFile({ publicUrl });
  await before.owner.upload('/v2/generate', skinPng(1));
  await before.close();
  await putOtherKey(dataDir);
  const { url } = await runWithFile({ dataDir, publicUrl, newSigningKey: true });
  const lockfile = await new TestCaller(url, { key, dataDir }).get('/v2/me/skins.lock');
  const line = JSON.parse(String(lockfile.bytes));
  expect(line).toMatchObject({ service: publicUrl, signer: publicUrl });
  expect(line.key).toBeUndefined(); // the entry cannot be of the present key
  const browser = new PlainBrowser(url);
  await browser.signIn(key);
  const { text } = await browser.open(`/ui/skins/${line.uuid}`);
  expect(text).toContain('This server, with an earlier key');
  expect(text).toContain('Make the skin again to have it signed with the current key.');
});

test('A store without skins takes any key', async () => {
  const server = await runWithFile();
  await server.close();
  await putOtherKey(server.dataDir);
  await (await runWithFile({ dataDir: server.dataDir })).close();
});

test('A key that is removed or replaced while the service runs makes it not ready, and doctor says so', async () => {
  const server = await runWithFile();
  await server.owner.upload('/v2/generate', skinPng(1));
  const untilReady = async (status: number) =>
    await poll(
      () => server.owner.get('/ready'),
      (heard) => heard.status === status,
    );
  await rm(pathIn(server.dataDir));
  expect((await untilReady(503)).body).toMatchObject({ reasons: ['signing_key_changed'] });
  const { body } = await server.owner.get('/v2/account/doctor');
  expect(body).toMatchObject({
    generator: { findings: [{ code: 'signing_key_changed', result: 'problem' }] },
  });
  await giveSigningKey(server.dataDir);
  await untilReady(200);
  await putOtherKey(server.dataDir);
  await untilReady(503);
});

test('A service with another generator needs no signing key', async () => {
  const dataDir = await ownFolder();
  await (await runWithFile({ dataDir, generator: 'accounts' })).close();
  expect([existsSync(pathIn(dataDir)), await keptIn(dataDir)]).toEqual([false, undefined]);
});

describe('Servers on the same database', () => {
  /** A server with a data folder of its own, with the shared key or an empty one. */
  async function node(url: string, { hasKey = true, newSigningKey = false } = {}) {
    const dataDir = await ownFolder();
    if (hasKey) await giveSigningKey(dataDir);
    return await runWithFile({ dataDir, store: { url, connections: 3 }, newSigningKey });
  }

  test('sign with the same key, whoever starts first, before there is a skin', async () => {
    const url = await ownDatabase();
    const [one, two] = await Promise.all([node(url), node(url)]);
    const keys = await Promise.all(
      [one, two].map(async ({ owner }) => (await owner.get('/')).body.signaturePublickey),
    );
    expect(keys[0]).toContain('PUBLIC KEY');
    expect(keys[1]).toBe(keys[0]);
  });

  test('do not start without the key of the others, or with another one, and say where to give it', async () => {
    const url = await ownDatabase();
    await node(url);
    const refusal = {
      code: 'signing_key_changed',
      hint: expect.stringContaining('--signing-key <file>'),
    };
    await expect(node(url, { hasKey: false })).rejects.toMatchObject(refusal);
    const dataDir = await ownFolder();
    await putOtherKey(dataDir);
    await expect(runWithFile({ dataDir, store: { url } })).rejects.toMatchObject(refusal);
  });

  test('use the key in the given file', async () => {
    const url = await ownDatabase();
    const { dataDir } = await node(url);
    const other = await ownFolder();
    await runWithFile({ dataDir: other, store: { url, connections: 3 }, signingKeyFile: pathIn(dataDir) });
    expect(existsSync(pathIn(other))).toBe(false);
  });

  test('are not ready any more when one continues with a new key', async () => {
    const url = await ownDatabase();
    const old = await node(url);
    const dataDir = await ownFolder();
    await putOtherKey(dataDir);
    await runWithFile({ dataDir, store: { url, connections: 3 }, newSigningKey: true });
    const heard = await poll(
      () => old.owner.get('/ready'),
      ({ status }) => status === 503,
    );
    expect(heard.body).toMatchObject({ reasons: ['signing_key_changed'] });
  });

  test('make a requested new key before they start, and those with the old key are not ready any more', async () => {
    const url = await ownDatabase();
    const old = await node(url);
    const late = await node(url, { hasKey: false, newSigningKey: true });
    expect(existsSync(pathIn(late.dataDir))).toBe(true);
    const heard = await poll(
      () => old.owner.get('/ready'),
      ({ status }) => status === 503,
    );
    expect(heard.body).toMatchObject({ reasons: ['signing_key_changed'] });
    expect((await late.owner.get('/ready')).status).toBe(200);
  });
});
