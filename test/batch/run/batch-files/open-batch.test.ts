import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { BatchSource } from '../../../../src/batch/model.ts';
import type { PlanOptions } from '../../../../src/batch/options.ts';
import { openBatch } from '../../../../src/batch/run/batch-files.ts';
import { buildTexturesValue } from '../../../../src/textures/property.ts';
import { fingerprintOf, signValue } from '../../../../src/textures/signing-key.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

async function optionsIn(lockfile?: string): Promise<PlanOptions> {
  const folder = await ownFolder();
  return {
    sources: [],
    service: { name: 'https://skins.example', caller: 'c' },
    stateDir: join(folder, 'state'),
    ...(lockfile !== undefined && { lockfile: join(folder, lockfile) }),
  } as unknown as PlanOptions;
}

/** The journal of one purpose at one service. */
const NAME = '41c735a02ced092a3e961adc.ndjson';

/** Opened to submit, with a file for its journal; closed when the test ends. */
async function open(options: PlanOptions) {
  const batch = await openBatch(options, { write: true });
  batch.journal?.refused('k');
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    batch.journal?.close();
    batch.close();
  };
  onTestFinished(close);
  return { batch, close };
}

const journalsOf = ({ stateDir }: PlanOptions) =>
  readdirSync(join(stateDir, 'journals')).filter((name) => name.endsWith('.ndjson'));

test('Batches without a lockfile run beside each other, each with a journal of its own', async () => {
  const options = await optionsIn();
  await open(options);
  await open(options);
  expect(journalsOf(options)).toHaveLength(2);
});

test('At most 65 batches without a lockfile run beside each other', async () => {
  const options = await optionsIn();
  for (let number = 0; number < 65; number++) await open(options);
  const message = `this batch is in use by process ${process.pid}.`;
  await expect(open(options)).rejects.toMatchObject({ code: 'lockfile_in_use', message });
});

test('A batch that makes nothing leaves no journal', async () => {
  const options = await optionsIn();
  const batch = await openBatch(options, { write: true });
  batch.close();
  expect(journalsOf(options)).toEqual([]);
});

test('A lockfile is used by one batch at a time', async () => {
  const options = await optionsIn('skins.lock');
  const { close } = await open(options);
  const message = `${options.lockfile} is in use by process ${process.pid}.`;
  await expect(open(options)).rejects.toMatchObject({ code: 'lockfile_in_use', message });
  close();
  await expect(open(options)).resolves.toBeDefined();
});

test('A lockfile can be in use by an unknown process', async () => {
  const options = await optionsIn('skins.lock');
  await open(options);
  const journals = join(options.stateDir, 'journals');
  for (const name of readdirSync(journals)) if (name.endsWith('.holder')) rmSync(join(journals, name));
  const message = `${options.lockfile} is in use by another process.`;
  await expect(open(options)).rejects.toMatchObject({ code: 'lockfile_in_use', message });
});

test('A batch that cannot be opened leaves no file open', async () => {
  const options = await optionsIn('skins.lock');
  const lockfile = options.lockfile ?? '';
  writeFileSync(lockfile, '');
  (await open(options)).close();
  for (const name of journalsOf(options)) {
    const journal = join(options.stateDir, 'journals', name);
    rmSync(journal);
    mkdirSync(journal);
  }
  await expect(open(options)).rejects.toMatchObject({ code: 'EISDIR' });
  expect(openFiles().filter((path) => path.startsWith(dirname(lockfile)))).toEqual([]);
});

/** The paths of this process's open files. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').map((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`);
    } catch {
      return ''; // of the list itself
    }
  });
}

test('A batch that only plans uses existing files and creates none', async () => {
  const options = await optionsIn();
  const batch = await openBatch(options, { write: false });
  expect([batch.journal, existsSync(join(options.stateDir, 'journals'))]).toEqual([undefined, false]);
  batch.close();
});

test.each([
  ['caller', { name: 'https://skins.example', caller: 'd' }, { name: 'https://skins.example', caller: 'c' }],
  [
    'address of this machine',
    { name: 'http://127.0.0.1:80', caller: 'c' },
    { name: 'http://localhost', caller: 'c' },
  ],
  [
    'notation of that',
    { name: 'http://[::1]:8080', caller: 'c' },
    { name: 'http://localhost:8080', caller: 'c' },
  ],
])('A batch has the same journal for another %s', async (_, first, second) => {
  const options = { ...(await optionsIn()), purpose: 'here' };
  const { batch, close } = await open({ ...options, service: first } as PlanOptions);
  batch.journal?.accepted('k', 0, 'j1');
  close();
  const again = await open({ ...options, service: second } as PlanOptions);
  expect(again.batch.journal?.isOwnJob('j1')).toBe(true);
});

test('A journal keeps its name from version to version, or an interrupted batch would not be found', async () => {
  const options = { ...(await optionsIn()), purpose: 'skins into out' };
  await open(options);
  expect(journalsOf(options)).toEqual([NAME]);
});

test.each([
  ['another service', { service: { name: 'https://other.example', caller: 'c' } }],
  ['another purpose', { purpose: 'elsewhere' }],
  ['all skins made again', { force: true }],
])('A batch for %s has another journal', async (_, over) => {
  const options = { ...(await optionsIn()), purpose: 'here' };
  const { close } = await open(options);
  close();
  await open({ ...options, ...over } as PlanOptions);
  expect(journalsOf(options)).toHaveLength(2);
});

/** The decisions about these sources, nothing submitted. */
async function decisionsOf(options: PlanOptions, sources: readonly BatchSource[]) {
  const batch = await openBatch(options, { write: false });
  onTestFinished(() => batch.close());
  async function* all() {
    yield* sources;
  }
  const decisions = [];
  for await (const { decision } of batch.planner.plan(all(), new AbortController().signal))
    decisions.push(decision);
  return decisions;
}

test('The requested cape is part of all work, whether its UUID has dashes or not', async () => {
  const link = { kind: 'url', url: 'https://a.example/s.png' } as const;
  const source = { label: 'link', stem: 'link', content: link };
  const options = await optionsIn();
  const cape = '61699b2e-d327-4a01-9f1e-0ea8c3f06bc6';
  const [without] = await decisionsOf(options, [source]);
  const [dashed] = await decisionsOf({ ...options, cape }, [source]);
  const [bare] = await decisionsOf({ ...options, cape: cape.replaceAll('-', '') }, [source]);
  expect(dashed).toMatchObject({ kind: 'new', work: { cape: cape.replaceAll('-', '') } });
  expect(dashed).toEqual(bare);
  expect(without).toMatchObject({ work: { cape: undefined } });
});

test.each([
  ['embedded', 'own', 'given'],
  ['embedded', 'theirs', 'new'],
  ['https://skins.example', 'own', 'new'],
  ['https://skins.example', 'theirs', 'given'],
] as const)(
  'For the service %s, skin data signed with the key "%s" is planned as %s',
  async (name, who, kind) => {
    const keys = { own: await signedData(), theirs: await signedData() };
    const signingKey = async () => keys.theirs.key;
    const options = {
      ...(await optionsIn()),
      ownKey: keys.own.key,
      service: { name, caller: 'c', signingKey },
    };
    const content = { kind: 'data', given: keys[who].given } as const;
    const decisions = await decisionsOf(options, [{ label: 'data', stem: 'data', content }]);
    expect(decisions.map((decision) => decision.kind)).toEqual([kind]);
  },
);

/** Skin data, and the key that has signed it. */
async function signedData() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const publicKey = createPublicKey(privateKey);
  const value = buildTexturesValue({
    timestamp: 1,
    profileId: 'ab'.repeat(16),
    profileName: 'Ann',
    skin: { url: 'https://skins.example/textures/1', variant: 'classic' },
  });
  const given = { value, signature: await signValue(value, privateKey) };
  return { key: { publicKey, fingerprint: fingerprintOf(publicKey) }, given };
}
