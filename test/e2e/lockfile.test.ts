import { rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../src/cli/output/format-names.ts';
import {
  embeddedWorkshop,
  hostedWorkshop,
  lines,
  NOWHERE,
  pixelsOf,
  type Workshop,
} from '../support/program/batches.ts';
import { poll } from '../support/server/poll.ts';
import { testWhole } from '../support/setup/extent.ts';

const MAKE = ['generate', '-r', 'skins', '--out', 'out'];

/** Three skins that are made, with their lockfile. */
async function madeWorkshop(): Promise<Workshop> {
  const shop = await embeddedWorkshop();
  await shop.draw({ 'skins/a': 1, 'skins/b': 2, 'skins/deep/c': 3 });
  expect((await shop.run(...MAKE)).exitCode).toBe(0);
  return shop;
}

describe('--dry-run', () => {
  test('counts new, changed, known, duplicate and unusable sources, and sends nothing', async () => {
    const { shop, service } = await hostedWorkshop();
    await shop.drawMany('skins', 3);
    await shop.run(...MAKE);
    await shop.draw({ 'skins/01': 11, 'skins/new': 12, 'skins/new-too': 12 });
    await shop.write('skins/broken.png', 'This is no picture.');
    const [before, sent] = [await shop.versions('.'), service.records.requests.submit];
    const { exitCode, stdout, stderr } = await shop.run(...MAKE, '--dry-run', '--json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      1,
      {
        ...{
          sources: 6,
          new: 1,
          changed: 1,
          known: 2,
          repeated: 1,
          refused: 1,
          seconds: expect.any(Number),
        },
        unknownSigner: 2,
      },
    ]);
    expect(JSON.parse(lines(stderr)[0] ?? '')).toMatchObject({
      error: { code: 'invalid_image', message: expect.stringContaining('skins/broken.png') },
    });
    expect([service.records.requests.submit, service.records.requests.generate]).toEqual([sent, undefined]);
    expect(await shop.versions('.')).toEqual(before);
  });

  test('prints each source with its plan, in a pipe', async () => {
    const shop = await madeWorkshop();
    await shop.draw({ 'skins/a': 11, 'skins/d': 12 });
    await shop.write('skins/broken.png', 'This is no picture.');
    const { exitCode, stdout, stderr } = await shop.run(...MAKE, '--dry-run');
    expect([exitCode, lines(stdout).map((row) => row.split('\t').slice(0, 2).join(' '))]).toEqual([
      1,
      [
        'skins/a.png changed',
        'skins/b.png locked',
        'skins/broken.png refused',
        'skins/d.png new',
        'skins/deep/c.png locked',
      ],
    ]);
    expect(stderr).toContain('5 sources: 1 new, 1 changed, 2 already known, 1 cannot be used.');
  });

  test('says that there is nothing to do, without a service', async () => {
    const shop = await madeWorkshop();
    const { exitCode, stderr } = await shop.run(
      ...MAKE,
      '--dry-run',
      '--keep-signatures',
      '--base-url',
      NOWHERE,
    );
    expect([exitCode, stderr]).toEqual([0, '3 sources: 3 already known. Nothing to do.\n']);
  });
});

test('--max-new stops after as many new skins as it says, and the next run continues from there', async () => {
  const { shop, service } = await hostedWorkshop();
  await shop.drawMany('skins', 5);
  const first = await shop.run(...MAKE, '--max-new', '2');
  expect([first.exitCode, service.records.accepted.length]).toEqual([0, 2]);
  expect(first.stderr).toMatch(/^5 sources: 2 made, 3 left.*\nStopped at --max-new 2\./m);
  expect(await shop.files('out')).toHaveLength(3);
  const second = await shop.run(...MAKE, '--max-new', '3');
  expect([second.exitCode, service.records.accepted.length]).toEqual([0, 5]);
  expect(service.doubleSubmissions).toEqual([]);
  expect(await shop.lock()).toHaveLength(5);
});

describe('--frozen in a clone of the folder', () => {
  const FROZEN = [...MAKE, '--frozen', '--base-url', NOWHERE];

  test('writes every format, with neither key nor network', async () => {
    const clone = await (await madeWorkshop()).clone();
    await rm(clone.path('out/a.json'));
    const locked = await clone.read('out/skins.lock');
    const { exitCode, stdout, stderr } = await clone.run(...FROZEN, '--format', FORMAT_NAMES.join());
    expect([exitCode, stdout, stderr]).toEqual([
      0,
      '',
      '3 sources: 3 in the lockfile. Written to out. Signed by this machine: 3.\n',
    ]);
    expect(await clone.files('out')).toHaveLength(3 * FORMAT_NAMES.length + 1);
    const [a] = await clone.lock();
    expect(await clone.readJson('out/a.json')).toMatchObject({ uuid: a?.uuid, value: a?.value });
    expect(await clone.read('out/skins.lock')).toBe(locked);
  });

  test('accepts other bytes with the same pixels, and reports a file with one different pixel', async () => {
    const clone = await (await madeWorkshop()).clone();
    await clone.compressAnew('skins/a', 1);
    expect((await clone.run(...FROZEN)).exitCode).toBe(0);
    await clone.draw({ 'skins/deep/c': 4 });
    const { exitCode, stderr } = await clone.run(...FROZEN);
    expect(exitCode).toBe(3);
    expect(lines(stderr).filter((line) => line.startsWith('error: '))).toEqual([
      expect.stringContaining('skins/deep/c.png'),
    ]);
    expect(stderr).toContain('3 sources: 2 in the lockfile, 1 missing or changed.');
  });

  test('exits with 3 when there is no lockfile', async () => {
    const clone = await (await madeWorkshop()).clone();
    await rm(clone.path('out'), { recursive: true });
    const { exitCode, stderr } = await clone.run(...FROZEN);
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining('3 sources: 0 in the lockfile, 3 missing'),
    ]);
  });
});

test('--prune drops entries of sources that are gone; without it they stay', async () => {
  const shop = await madeWorkshop();
  await rm(shop.path('skins/b.png'));
  const sources = async () => (await shop.lock()).map(({ source }) => source);
  expect((await shop.run(...MAKE)).exitCode).toBe(0);
  expect(await sources()).toContain('../skins/b.png');
  const { exitCode, stderr } = await shop.run(...MAKE, '--prune');
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('1 dropped from the lockfile.')]);
  expect(await sources()).toEqual(['../skins/a.png', '../skins/deep/c.png']);
});

test('--force makes the skins in the lockfile again', async () => {
  const { shop, service } = await hostedWorkshop({ known: 'nothing' });
  await shop.drawMany('skins', 3);
  await shop.run(...MAKE);
  const before = await shop.lock();
  const { exitCode, stderr } = await shop.run(...MAKE, '--force');
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^3 sources: 3 made/m)]);
  expect(service.records.accepted).toHaveLength(6);
  const uuids = (await shop.lock()).map(({ uuid }) => uuid);
  expect(uuids).toHaveLength(3);
  expect(uuids.filter((uuid) => before.some((line) => line.uuid === uuid))).toEqual([]);
  expect(await shop.readJson('out/01.json')).toMatchObject({ uuid: uuids[0] });
});

// Otherwise batch/run/batch-files and base/process-lock know who holds it.
testWhole(
  'A second batch on a lockfile says who holds it, and works at once when the first is killed',
  async () => {
    const { shop, service } = await hostedWorkshop();
    service.hold();
    await shop.drawMany('skins', 4);
    const first = shop.start(MAKE);
    await poll(
      () => service.records.accepted.length,
      (accepted) => accepted === 4,
    );
    const second = await shop.run(...MAKE);
    expect(second.exitCode).toBe(1);
    expect(second.stderr).toMatch(
      new RegExp(`out/skins\\.lock is in use by process ${first.pid}\\.\nhint: `),
    );
    first.kill('SIGKILL');
    await first;
    service.release();
    const { exitCode, stderr } = await shop.run(...MAKE);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^4 sources: 4 made/m)]);
    expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([4, []]);
  },
);

describe('A lockfile that was edited', () => {
  test('by a merge that left conflict markers is repaired by generate and reported by --frozen', async () => {
    const shop = await madeWorkshop();
    const [a, b, c] = lines(await shop.read('out/skins.lock'));
    const merged = [a, '<<<<<<< HEAD', c, '=======', b, '>>>>>>> other'];
    await shop.write('out/skins.lock', `${merged.join('\n')}\n`);
    const frozen = await shop.run(...MAKE, '--frozen');
    expect([frozen.exitCode, frozen.stderr]).toEqual([
      1,
      expect.stringMatching(/^error: .*skins\.lock, line 2: .*merge.*\nhint: Run generate, without --frozen/),
    ]);
    const made = await shop.run(...MAKE, '--keep-signatures', '--base-url', NOWHERE);
    expect([made.exitCode, made.stderr]).toEqual([0, expect.stringContaining('had conflict markers')]);
    expect(await shop.read('out/skins.lock')).toBe(`${[a, b, c].join('\n')}\n`);
    await shop.write('out/skins.lock', `${merged.slice(0, -1).join('\n')}\n`);
    const half = await shop.run(...MAKE, '--keep-signatures', '--base-url', NOWHERE);
    expect([half.exitCode, half.stderr]).toEqual([
      1,
      expect.stringContaining('A merge conflict has no end.'),
    ]);
  });

  test('so that it is no longer valid is reported and left unchanged', async () => {
    const shop = await madeWorkshop();
    await shop.write('out/skins.lock', 'hello\n');
    const { exitCode, stderr } = await shop.run(...MAKE);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^error: .*skins\.lock/)]);
    expect(await shop.read('out/skins.lock')).toBe('hello\n');
  });
});

test('A lockfile is the same in whatever order the skins were made', async () => {
  const serviceTime = ({ input }: { input: { pixels: string } }) => (input.pixels === pixelsOf(1) ? 200 : 10);
  const { shop } = await hostedWorkshop({ serviceTime });
  await shop.drawMany('skins', 3);
  await shop.run(...MAKE);
  expect((await shop.lock()).map(({ pixels }) => pixels)).toEqual([1, 2, 3].map(pixelsOf));
});
