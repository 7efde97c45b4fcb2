import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { enlarge } from '../../../src/skin/regions.ts';
import { entriesOf, textOf } from '../../support/batch/lock-entry.ts';
import { typeLine } from '../../support/cli/type-line.ts';
import { capePng } from '../../support/server/drawn-capes.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { sampled } from '../../support/setup/extent.ts';

/** How a command is typed. `@` stands for the folder in which it runs. */
interface Line {
  /** Its required words. */
  readonly words: string;
  /** Its options as they are typed: every pair of them is tried. */
  readonly options: Readonly<Record<string, string>>;
  /** Its other options, and why nothing can be seen of them. */
  readonly others: Readonly<Record<string, string>>;
  /** Other required words, with which each option is tried. */
  readonly also?: readonly string[];
  /** There are too many for pairs, and all go together: all are tried, and all but one. */
  readonly isLong?: true;
}

const PERMITS = 'permits what is not done here';
const [UUID, OTHER] = ['a'.repeat(32), 'b'.repeat(32)];
const SOURCES = { recursive: '--recursive', ignore: '--ignore two.png' };

const LINES: Readonly<Record<string, Line>> = {
  render: {
    words: '@skins --out @out --view back',
    options: {
      ...SOURCES,
      size: '--size 64',
      'no-overlay': '--no-overlay',
      variant: '--variant slim',
      cape: '--cape @cape.png',
    },
    others: { out: 'required', view: 'most show no cape, and refuse it', overwrite: PERMITS },
  },
  preview: {
    words: '@skins',
    options: { ...SOURCES, variant: '--variant slim', out: '--out @out', picture: '--picture blocks' },
    others: { overwrite: PERMITS },
  },
  check: {
    words: '@skins',
    options: {
      ...SOURCES,
      from: '--from @list.txt',
      fix: '--fix @out',
      variant: '--variant slim',
      picture: '--picture blocks',
    },
    others: { overwrite: PERMITS },
  },
  pack: {
    words: '@skins --out @pack.zip',
    also: ['@skins --into @theirs', '--remove-from @ours'],
    isLong: true,
    options: {
      ...SOURCES,
      from: '--from @list.txt',
      fit: '--fit',
      datapack: '--datapack @data.zip',
      vulnerable: '--vulnerable',
      namespace: '--namespace npc',
      game: '--game 1.21.9',
      description: '--description Ours',
      icon: '--icon',
      variant: '--variant slim',
      'keep-transparency': '--keep-transparency',
      index: '--index @other.json',
    },
    others: {
      out: 'required',
      into: 'required in its place',
      'remove-from': 'required in its place',
      'allow-older': PERMITS,
      overwrite: PERMITS,
      player: 'needs the game',
      as: 'only tells ambiguous words apart',
      'dry-run': 'writes nothing, whatever else is given',
      prune: 'needs an earlier pack',
    },
  },
  'sets list': {
    words: '',
    options: { public: '--public', limit: '--limit 3', all: '--all' },
    others: {},
  },
  'sets create': {
    words: `team ${UUID}`,
    options: { from: '--from @skins.lock', visibility: '--visibility private' },
    others: {},
  },
  'sets edit': {
    words: 'team',
    options: {
      name: '--name crew',
      add: `--add ${UUID}`,
      from: '--from @skins.lock',
      remove: `--remove ${OTHER}`,
      visibility: '--visibility private',
    },
    others: {},
  },
  'sets export': {
    words: 'team --out @team.zip',
    also: ['team --out @team.zip --format pack'],
    options: {
      format: '--format datapack',
      namespace: '--namespace npc',
      game: '--game 1.21.9',
    },
    others: { out: 'in the words', overwrite: PERMITS },
  },
  'skins export': {
    words: '--out @skins.zip',
    options: {
      format: '--format lock',
      filter: '--filter knight',
      variant: '--variant slim',
      visibility: '--visibility private',
      after: `--after ${UUID}`,
    },
    others: { out: 'in the words', overwrite: PERMITS },
  },
  'skins list': {
    words: '',
    options: {
      public: '--public',
      filter: '--filter knight',
      variant: '--variant slim',
      visibility: '--visibility private',
      tag: '--tag knight',
      sort: '--sort popular',
      limit: '--limit 3',
      all: '--all',
    },
    others: {},
  },
  wear: {
    words: '--as Steve',
    options: { cape: '--cape none', for: '--for bob' },
    others: { as: 'required', yes: PERMITS },
  },
  'players list': {
    words: '',
    options: { 'all-users': '--all-users', limit: '--limit 3', all: '--all' },
    others: {},
  },
  'players get': { words: 'Steve', options: {}, others: {} },
  'players release': { words: 'Steve --yes', options: {}, others: { yes: 'in the words' } },
  'players import': { words: '@names.csv', options: {}, others: {} },
  conformance: {
    words: '--only capes --pause 0',
    options: {
      generations: '--generations 2',
      'key-file': '--key-file @key.txt',
      'no-key': '--no-key',
      junit: '--junit @report.xml',
    },
    others: { only: 'in the words', pause: 'in the words', overwrite: PERMITS },
  },
};

/** Skins with transparent parts and an outer layer, a large one, a cape, packs, a lockfile, a list. */
async function makeScene(): Promise<string> {
  const scene = await ownFolder();
  const at = (name: string) => join(scene, name);
  for (const folder of ['skins/more', 'theirs', 'listed']) await mkdir(at(folder), { recursive: true });
  const holed = drawSkin(1);
  holed.pixels.fill(0, (10 * 64 + 10) * 4, (10 * 64 + 12) * 4);
  holed.pixels.fill(200, (10 * 64 + 56) * 4, (12 * 64 + 60) * 4);
  await writeFile(at('skins/one.png'), encodePng(holed));
  await writeFile(at('skins/two.png'), skinPng(2));
  await writeFile(at('skins/large.png'), encodePng(enlarge(drawSkin(5), 2)));
  await writeFile(at('skins/more/three.png'), skinPng(3));
  await writeFile(at('listed/four.png'), skinPng(4));
  await writeFile(at('list.txt'), 'listed/four.png\n');
  await writeFile(at('cape.png'), capePng(1));
  await writeFile(at('key.txt'), 'k'.repeat(64));
  const mcmeta = { pack: { description: 'Theirs', min_format: 69, max_format: 84 } };
  await writeFile(at('theirs/pack.mcmeta'), JSON.stringify(mcmeta));
  await cp(at('theirs'), at('ours'), { recursive: true });
  const [entry] = entriesOf('one.png');
  await writeFile(at('skins.lock'), textOf([{ ...entry!, uuid: OTHER }]));
  await typeLine(['pack', at('skins/one.png'), '--into', at('ours')], {});
  return scene;
}

/** The end of an archive: all of one without files. */
const EMPTY_ZIP = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]);

/** A service that has empty archives and refuses everything else, and what it was asked. */
async function makeService() {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    asked.push([method, url, headers.authorization, await buffer(request)].join(' '));
    if (url?.includes('.zip')) {
      response.writeHead(200, { 'content-type': 'application/zip' }).end(EMPTY_ZIP);
      return;
    }
    const errors = [{ code: 'set_not_found', message: 'There is none.' }];
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: false, errors }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

interface Seen {
  /** Everything that a run printed, wrote and asked, as text. */
  readonly all: string;
  readonly isRefused: boolean;
}

/** Runs command lines, each in a scene of its own. */
async function makeRunner(): Promise<(line: string) => Promise<Seen>> {
  const [scene, { asked, url }] = [await makeScene(), await makeService()];
  return async (line) => {
    const folder = await ownFolder();
    await cp(scene, folder, { recursive: true });
    asked.length = 0;
    const words = line.split(' ').map((word) => word.replace('@', `${folder}/`));
    const isTTY = /^(?:preview|check)/.test(line);
    const { told, ...ran } = await typeLine(words, { url, key: 'key', isTTY, flags: { quiet: false } });
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const written = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    const hashes = await Promise.all(
      written.sort().map(async (file) => [
        file,
        createHash('sha1')
          .update(await readFile(file))
          .digest('hex'),
      ]),
    );
    const all = JSON.stringify([ran, told, hashes, asked], null, 1).replaceAll(folder, '@');
    return { all, isRefused: told?.exit === 'usage' };
  };
}

type Run = (words: string, ...chosen: readonly string[]) => Promise<Seen>;

/** Of options that stand alone, those that change nothing. */
async function ignoredAlone(run: Run, words: string, names: readonly string[]): Promise<string[]> {
  const bare = await run(words);
  const ignored: string[] = [];
  for (const name of names) {
    const { all, isRefused } = await run(words, name);
    if (!isRefused && all === bare.all) ignored.push(`${name} in ${words}`);
  }
  return ignored;
}

/** Of all options together, those whose absence changes nothing. */
async function ignoredTogether(run: Run, words: string, names: readonly string[]): Promise<string[]> {
  const together = await run(words, ...names);
  expect(together.isRefused).toBe(false);
  const ignored: string[] = [];
  for (const name of names) {
    const others = await run(words, ...names.filter((other) => other !== name));
    if (!others.isRefused && others.all === together.all) ignored.push(`${name} beside all others`);
  }
  return ignored;
}

/** Of each two options, that which changes nothing beside the other. In `npm test`, some pairs stand for all. */
async function ignoredInPairs(run: Run, words: string, names: readonly string[]): Promise<string[]> {
  const ignored: string[] = [];
  for (const [at, one] of names.entries()) {
    for (const other of sampled(names.slice(at + 1), 6, at)) {
      const both = await run(words, one, other);
      if (both.isRefused) continue;
      if (both.all === (await run(words, one)).all) ignored.push(`${other} beside ${one}`);
      if (both.all === (await run(words, other)).all) ignored.push(`${one} beside ${other}`);
    }
  }
  return ignored;
}

/** What command lines leave out of account without a word. */
async function ignoredIn(command: string, { words, options, also = [], isLong }: Line): Promise<string[]> {
  const type = await makeRunner();
  const seen = new Map<string, Promise<Seen>>();
  const run: Run = async (base, ...chosen) => {
    const line = [command, base, ...chosen.map((name) => options[name])].filter(Boolean).join(' ');
    seen.set(line, seen.get(line) ?? type(line));
    return await seen.get(line)!;
  };
  const names = Object.keys(options);
  const ignored: string[] = [];
  for (const base of [words, ...sampled(also, 2)]) ignored.push(...(await ignoredAlone(run, base, names)));
  ignored.push(...(await (isLong ? ignoredTogether : ignoredInPairs)(run, words, names)));
  return ignored;
}

test.each(Object.entries(LINES))(
  '%s obeys both of any two options, or refuses them',
  async (command, line) => {
    expect(await ignoredIn(command, line)).toEqual([]);
  },
);

test('The table of option pairs lists every option of its commands', async () => {
  const program = await buildProgram({ runner: () => async () => {} });
  const commandAt = (path: string) =>
    path
      .split(' ')
      .reduce((command: Command, name) => command.commands.find((one) => one.name() === name)!, program);
  const declared = (path: string) => commandAt(path).options.map(({ long }) => long!.slice(2));
  for (const [path, { options, others }] of Object.entries(LINES))
    expect([path, [...Object.keys(options), ...Object.keys(others)].sort()]).toEqual([
      path,
      declared(path).sort(),
    ]);
});

test.each(['', '--format lock', '--out team.lock'])(
  'sets export %s refuses options of packs',
  async (format) => {
    for (const option of ['--namespace npc', '--game 1.21.9']) {
      const words = ['sets', 'export', 'team', ...`${format} ${option}`.trim().split(' ')];
      const { told } = await typeLine(words, { url: 'http://127.0.0.1:1' });
      expect([told?.code, told?.exit]).toEqual(['option_without_pack', 'usage']);
    }
  },
);
