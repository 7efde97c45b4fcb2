import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { fillGallery } from '../../support/pages/fill-gallery.ts';
import { freshMachine } from '../../support/program/program.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { poll } from '../../support/server/poll.ts';
import {
  giveSigningKey,
  giveStore,
  guardAgainstLeaks,
  runServer,
} from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** More than fits into what lies between a service and a reader that does not read. */
const MANY = 5_000;

interface ServiceWithMany {
  readonly dataDir: string;
  readonly key: string;
}

/** Filled once: it takes longer than all tests here. */
let filled: Promise<ServiceWithMany> | undefined;

afterAll(async () => {
  if (filled) await rm((await filled).dataDir, { recursive: true, force: true });
});

async function fillFolder(): Promise<ServiceWithMany> {
  const dataDir = await mkdtemp(join(tmpdir(), 'skinsmith-test-'));
  await Promise.all([giveSigningKey(dataDir), giveStore(dataDir)]);
  const { owner, key, close } = await runServer({ dataDir });
  await owner.upload('/v2/generate', await readFile('examples/knight-overlay.png'));
  await close();
  fillGallery(join(dataDir, 'skinsmith.db'), MANY);
  return { dataDir, key: String(key) };
}

/** The data folder of a service whose owner has many skins, of this test's own. */
async function folderWithMany(): Promise<ServiceWithMany> {
  filled ??= fillFolder();
  const { dataDir: from, key } = await filled;
  const dataDir = await ownFolder();
  await cp(from, dataDir, { recursive: true });
  return { dataDir, key };
}

interface Download {
  /** Reads on to the end. */
  readonly rest: () => Promise<void>;
  /** The reader goes away. */
  readonly leave: () => void;
}

/** Reads the first bytes of an export, and then no more until it is told to. */
async function beginDownload(url: string, key: string, kind = 'lock'): Promise<Download> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const headers = { authorization: `Bearer ${key}` };
  const { status, body } = await fetch(`${url}/v2/me/skins.${kind}`, { headers, signal: leaving.signal });
  expect(status).toBe(200);
  const reader = body!.getReader();
  await reader.read();
  const rest = async () => {
    while (!(await reader.read()).done);
  };
  return { rest, leave: () => leaving.abort() };
}

test('Readers who go away in the middle of an export free their places', async () => {
  const { dataDir, key } = await folderWithMany();
  const { url } = await runServer({ dataDir });
  const caller = new TestCaller(url, { key, dataDir });
  const downloads = [await beginDownload(url, key), await beginDownload(url, key, 'zip')];
  expectRefusal(await caller.get('/v2/me/skins.lock'), 'concurrency_limit');
  for (const { leave } of downloads) leave();
  await poll(
    () => caller.get('/v2/me/skins.lock?filter=Rare'),
    ({ status }) => status === 200,
  );
  for (const kind of ['zip', 'zip']) await beginDownload(url, key, kind);
});

test.each(['zip', 'lock'])(
  'The %s of a service that stops in the middle is an error for its reader',
  async (kind) => {
    const { dataDir, key } = await folderWithMany();
    const { url, close } = await runServer({ dataDir });
    const { rest } = await beginDownload(url, key, kind);
    const closed = close();
    await expect(rest()).rejects.toThrow('terminated');
    await closed;
  },
);

test('An export of a service that dies in the middle is an error for its reader', async () => {
  const { dataDir, key } = await folderWithMany();
  const machine = await freshMachine();
  const serving = await machine.serve(['--data', dataDir], key);
  const { rest } = await beginDownload(serving.url, key);
  await serving.end('SIGKILL');
  await expect(rest()).rejects.toThrow('terminated');
});
