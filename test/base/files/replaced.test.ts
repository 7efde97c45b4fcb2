import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { type link, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { DigestCache } from '../../../src/base/digest-cache.ts';
import { Leftovers } from '../../../src/base/files.ts';
import { makeSecretFile } from '../../../src/base/secret-files.ts';
import { Journal } from '../../../src/batch/journal.ts';
import { Lockfile } from '../../../src/batch/lockfile/lockfile.ts';
import { save } from '../../../src/cli/commands/exports.ts';
import { ConfigFile } from '../../../src/cli/config/settings.ts';
import { JobSources, SeenNames } from '../../../src/cli/history.ts';
import { openReport } from '../../../src/cli/output/reports/writer.ts';
import { PluginFile } from '../../../src/cli/plugins/plugin-files.ts';
import { ServedPack } from '../../../src/cli/serve/served-pack.ts';
import { backUp } from '../../../src/server/backup/backup.ts';
import { type FileStep, watchSteps } from '../../support/base/file-steps.ts';
import { keyOf } from '../../support/batch/journal-records.ts';
import { entriesOf, textOf } from '../../support/batch/lock-entry.ts';
import { packWorkshop } from '../../support/cli/pack-workshop.ts';
import { made, makeSummary } from '../../support/cli/report-entries.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { NOW } from '../../support/server/backing-up.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { giveSigningKey, giveStore } from '../../support/server/running-server.ts';
import { sampled } from '../../support/setup/extent.ts';

/** Something that a command replaces, with an old state of it. */
interface Place {
  readonly folder: string;
  /** Rejects, or resolves to the code of an error that it told. */
  readonly replace: () => Promise<unknown>;
}

const META = '{"pack":{"description":"","min_format":69,"max_format":97}}';

/** A pack in a zip, its functions and its index, of which a source changes. */
async function ownPack(): Promise<Place> {
  const { folder, draw, pack } = await packWorkshop();
  const datapack = join(folder, 'functions.zip');
  await draw('guard.png', 1);
  await pack({ datapack });
  await draw('smith.png', 2);
  return { folder, replace: async () => (await pack({ datapack })).told };
}

/** Skins in a zip of others, of which one changes. */
async function packOfOthers(): Promise<Place> {
  const { folder, draw, pack } = await packWorkshop();
  const into = join(folder, 'server.zip');
  await draw('guard.png', 1);
  await pack({ out: into });
  const options = { into, namespace: 'npc' };
  const run = async () => (await pack({ ...options, out: undefined } as Parameters<typeof pack>[0])).told;
  await run();
  await draw('smith.png', 2);
  return { folder, replace: run };
}

/** Skins in a folder of others. */
async function folderOfOthers(): Promise<Place> {
  const { folder, draw, pack } = await packWorkshop();
  const into = join(folder, 'server');
  await mkdir(into);
  await writeFile(join(into, 'pack.mcmeta'), META);
  await draw('guard.png', 1);
  const run = async () => (await pack({ into, out: undefined } as Parameters<typeof pack>[0])).told;
  await run();
  await draw('smith.png', 2);
  return { folder, replace: run };
}

async function lockfile(): Promise<Place> {
  const folder = await ownFolder();
  const path = join(folder, 'skins.lock');
  await writeFile(path, textOf(entriesOf('a.png', 'b.png')));
  const replace = async () => {
    const open = await Lockfile.open(path);
    try {
      open.rewrite(entriesOf('c.png'), () => true);
    } finally {
      open.close();
    }
  };
  return { folder, replace };
}

async function exported(): Promise<Place> {
  const folder = await ownFolder();
  const file = join(folder, 'skins.zip');
  await writeFile(file, 'old');
  const fill = async (sink: (bytes: Uint8Array) => unknown) => {
    for (const part of ['n', 'ew']) await sink(Buffer.from(part));
  };
  const run = async () =>
    await runCommand(async (context) => {
      await save(fill, { file, overwrite: true }, context);
      return 0 as never;
    }, {});
  return { folder, replace: async () => (await run()).told };
}

async function pluginFile(): Promise<Place> {
  const folder = await ownFolder();
  const name = join(folder, 'npcs.yml');
  await writeFile(name, 'old');
  const replace = async () => {
    const file = new PluginFile(name);
    file.wanted = 'new';
    file.write(new Leftovers(0));
  };
  return { folder, replace };
}

/** A pack and its functions in folders, of which a source changes. */
async function folderPack(): Promise<Place> {
  const { folder, draw, pack } = await packWorkshop();
  const run = async () =>
    (await pack({ out: join(folder, 'pack'), datapack: join(folder, 'functions') })).told;
  await draw('guard.png', 1);
  await run();
  await draw('smith.png', 2);
  return { folder, replace: run };
}

/** With two pieces of work, of which one has failed and the other goes on. */
async function journal(): Promise<Place> {
  const folder = await ownFolder();
  const open = Journal.open(join(folder, 'batch.ndjson'));
  open.accepted(keyOf(1), 0, 'a job');
  open.failed({ k: keyOf(2), code: 'job_failed', message: 'No skin.' });
  const replace = async () => {
    try {
      open.retire({ keepsJobs: true });
    } finally {
      open.close();
    }
  };
  return { folder, replace };
}

async function report(): Promise<Place> {
  const folder = await ownFolder();
  const path = join(folder, 'report.html');
  await writeFile(path, 'old');
  const replace = async () => {
    const writer = await openReport('html', path, { isStream: false, verify: () => {} });
    await writer.add(made);
    await writer.finish(makeSummary({ total: 1, made: 1 }));
  };
  return { folder, replace };
}

async function jobSources(): Promise<Place> {
  const folder = await ownFolder();
  const line = (job: string) => `${JSON.stringify({ job, source: 'a'.repeat(2 ** 20) })}\n`;
  await writeFile(join(folder, 'submissions.ndjson'), `${line('j1')}broken\n${line('j2')}`);
  return { folder, replace: async () => void (await new JobSources(folder).sources()) };
}

async function seenNames(): Promise<Place> {
  const folder = await ownFolder();
  const seen = new SeenNames(folder);
  await seen.add('users', [{ value: 'ann' }]);
  const replace = async () => {
    await seen.add('users', [{ value: 'bob' }]);
    if ((await seen.of('users')).length < 2) return 'not written'; // which no command tells
    return undefined;
  };
  return { folder, replace };
}

async function configFile(): Promise<Place> {
  const folder = await ownFolder();
  const config = new ConfigFile(folder);
  await config.set('slots', 3);
  return { folder, replace: async () => void (await config.keepKey('https://a.example', 'a-key')) };
}

/** Made by a process that finds none. */
function secretFile(makeLink?: typeof link) {
  return async (): Promise<Place> => {
    const folder = await ownFolder();
    const replace = async () => void (await makeSecretFile(join(folder, 'key'), 'a secret', makeLink));
    return { folder, replace };
  };
}

/** As on FAT, whose error comes in place of a link. */
const withoutLinks = secretFile(async () => {
  throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
});

async function servedPack(): Promise<Place> {
  const [folder, source] = [await ownFolder(), await ownFolder()];
  await writeFile(join(source, 'pack.mcmeta'), META);
  const serve = async () => await ServedPack.open({ path: source, folder, clock: systemClock });
  await serve();
  await writeFile(join(source, 'pack.mcmeta'), META.replace('""', '"new"'));
  return { folder, replace: async () => void (await serve()) };
}

async function digests(): Promise<Place> {
  const folder = await ownFolder();
  const stamp = { size: 1, mtimeMs: 0, ctimeMs: 0, ino: 1 };
  const save = (file: string) => {
    const cache = new DigestCache(join(folder, 'files.ndjson'), Date.now());
    cache.set(file, stamp, 'a'.repeat(64));
    cache.save();
    return new DigestCache(join(folder, 'files.ndjson'), Date.now()).has(file);
  };
  save('a.png');
  return { folder, replace: async () => (save('b.png') ? undefined : 'not written') }; // which no command tells
}

async function newJournal(): Promise<Place> {
  const folder = await ownFolder();
  const open = Journal.open(join(folder, 'batch.ndjson'));
  onTestFinished(() => open.close());
  return { folder, replace: async () => void open.idempotencyKey(keyOf(1), 0) };
}

async function backup(): Promise<Place> {
  const [folder, dataDir] = [await ownFolder(), await ownFolder()];
  const file = join(folder, 'it.backup');
  await writeFile(file, 'old');
  await giveSigningKey(dataDir);
  await giveStore(dataDir);
  const signal = new AbortController().signal;
  return { folder, replace: async () => void (await backUp({ dataDir, file, now: NOW, signal })) };
}

const PLACES = {
  'a pack of its own': ownPack,
  'skins in a zip of others': packOfOthers,
  'skins in a folder of others': folderOfOthers,
  'a lockfile': lockfile,
  'an export': exported,
  'a file of a plugin': pluginFile,
  'a backup': backup,
  'no journal': newJournal,
  'no secret': secretFile(),
} as const satisfies Record<string, () => Promise<Place>>;

/** Flushed by calls that are not watched, or not worth a flush. */
const LIGHT_PLACES = {
  'a pack in folders': folderPack,
  'a journal': journal,
  'a report': report,
  'the sources of jobs': jobSources,
  'the names for completion': seenNames,
  'a config file': configFile,
  'no secret, where there are no links': withoutLinks,
  'a pack that is served': servedPack,
  'digests of files': digests,
} as const satisfies Record<string, () => Promise<Place>>;

/** Contents of the files in a folder, without copies of what was there before. */
function contentsOf(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = paths.filter((path) => statSync(join(folder, path)).isFile() && !isCopy(path));
  return Object.fromEntries(files.map((path) => [path, textAt(join(folder, path))]));
}

/** Without what each journal has for itself. */
const textAt = (path: string) => readFileSync(path, 'latin1').replace(/"nonce":"[0-9a-f]+"/, '');

const isCopy = (path: string) => /\.bak$|\.[0-9a-f]{8}\.zip$/.test(path);
const isTemporary = (path: string) => /\.tmp(?:\/|$)/.test(path);

/** What a failed disk says. */
const full = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

/** The steps of a whole run, and what is there before and after. */
async function wholeRun(prepare: () => Promise<Place>) {
  const { folder, replace } = await prepare();
  const before = contentsOf(folder);
  const { steps, unwatch } = watchSteps(folder);
  expect(await replace()).toBeUndefined();
  unwatch();
  return { folder, before, after: contentsOf(folder), steps };
}

describe.each(Object.entries(PLACES))('The replacement of %s', (_name, prepare) => {
  test('is on the disk before the rename, and the rename is on the disk afterwards', async () => {
    const { steps } = await wholeRun(prepare);
    const renames = steps.flatMap(({ act, path, to = '' }, at) =>
      (act === 'rename' || act === 'link') && !isCopy(to) ? [{ at, path, to }] : [],
    );
    expect(renames.length).toBeGreaterThan(0);
    for (const { at, path, to } of renames) {
      const last = steps.slice(0, at).findLast((step: FileStep) => step.path === path);
      expect(last, basename(to)).toMatchObject({ act: 'flush' });
      const flushed = steps.slice(at).some(({ act, path: one }) => act === 'flush' && one === dirname(to));
      expect([basename(to), flushed]).toEqual([basename(to), true]);
    }
  });
});

describe.each(Object.entries({ ...PLACES, ...LIGHT_PLACES }))('The replacement of %s', (_name, prepare) => {
  test('leaves the old or the new state, and nothing else, whatever step fails', async () => {
    const { before, after, steps, folder: first } = await wholeRun(prepare);
    expect(steps).not.toEqual([]);
    const numbers = steps.map((_, place) => place + 1);
    for (const failing of sampled(numbers, 2, steps.length - 1)) {
      if (steps[failing - 1]!.act === 'remove') continue;
      const { folder, replace } = await prepare();
      const { unwatch } = watchSteps(folder, (number) => {
        if (number === failing) throw full();
      });
      const failed = await replace().then(
        (told) => told !== undefined,
        () => true,
      );
      unwatch();
      const left = contentsOf(folder);
      const where = `step ${failing}: ${steps[failing - 1]!.act} ${steps[failing - 1]!.path.slice(first.length)}`;
      expect(Object.keys(left).filter(isTemporary), where).toEqual([]);
      for (const [path, content] of Object.entries(left))
        expect([before[path], after[path]], `${where}, ${path}`).toContain(content);
      for (const path of Object.keys(before)) expect(existsSync(join(folder, path)), where).toBe(true);
      if (!failed) expect(left, where).toEqual(after);
    }
  });
});

test('The index of a pack is written first, because the next run takes the names from it', async () => {
  const { steps } = await wholeRun(ownPack);
  const names = steps.flatMap(({ act, to = '' }) => (act === 'rename' ? [basename(to)] : []));
  expect(names).toEqual(['pack.skins.json', 'pack.zip', 'functions.zip']);
});
