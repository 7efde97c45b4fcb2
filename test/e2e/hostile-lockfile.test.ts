import { link, lstat, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { digestOf, type LockEntry } from '../../src/protocol/lock-line.ts';
import { embeddedWorkshop, lines, type Workshop } from '../support/program/batches.ts';
import { sampled } from '../support/setup/extent.ts';

const MAKE = ['generate', 'a', '--out', '.'];

/** A folder with two skins and their outputs beside the lockfile. */
async function madeFolder(): Promise<{ shop: Workshop; output: string; data: string }> {
  const shop = await embeddedWorkshop();
  await shop.draw({ 'a/one': 1, 'a/two': 2 });
  expect((await shop.run(...MAKE)).exitCode).toBe(0);
  const { value, signature } = await shop.readJson<LockEntry>('two.json');
  return { shop, output: await shop.read('two.json'), data: `${value}\n${signature}\n` };
}

/** Changes what the lockfile says about a source, with a digest that fits. */
async function claim(shop: Workshop, source: string, change: Partial<LockEntry>): Promise<void> {
  const changed = lines(await shop.read('skins.lock')).map((line) => {
    const entry: LockEntry = JSON.parse(line);
    if (entry.source !== source) return line;
    const hostile = { ...entry, ...change };
    return JSON.stringify({ ...hostile, digest: digestOf(hostile) });
  });
  await shop.write('skins.lock', `${changed.join('\n')}\n`);
}

function recordOf(file: string): Pick<LockEntry, 'record'> {
  const { name } = posix.parse(file);
  return { record: { outputs: [{ name, files: [file] }] } };
}

async function put(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

interface Made {
  readonly shop: Workshop;
  /** The text of an output of the source. */
  readonly output: string;
  /** Its value and its signature. */
  readonly data: string;
}

/** What the lockfile claims to be an output of a source: the path as it stands there, and the file. */
type Claim = (
  made: Made,
) => Promise<{ readonly file: string; readonly path: string; readonly value?: string }>;

/** In our form and with the data of the entry, so that only its place protects it. */
const at =
  (file: string): Claim =>
  async ({ shop, output }) => ({ file, path: await put(shop.path(file), output) });
/** In a place for outputs, so that only its content protects it. */
const holding =
  (file: string, text: (made: Made) => string): Claim =>
  async (made) => ({ file, path: await put(made.shop.path(file), text(made)) });

const CLAIMS: Readonly<Record<string, Claim>> = {
  'a file of git': at('.git/config'),
  'a hidden file': at('.env'),
  'an output in a hidden folder': at('.keep/deep/two.json'),
  'an output in a folder above': at('../above/two.json'),
  'an output that is above by a detour': at('a/../../above/two.json'),
  'an output with an absolute path': async ({ shop, output }) => {
    const path = await put(join(shop.machine.folder, 'elsewhere', 'two.json'), output);
    return { file: path, path };
  },
  'an output behind a linked folder': async ({ shop, output }) => {
    const path = await put(join(shop.machine.folder, 'elsewhere', 'two.json'), output);
    await symlink(dirname(path), shop.path('linked'));
    return { file: 'linked/two.json', path };
  },
  'an output behind a link to a hidden folder': async ({ shop, output }) => {
    const path = await put(shop.path('.hidden/two.json'), output);
    await symlink('.hidden', shop.path('seen'));
    return { file: 'seen/two.json', path };
  },
  'a linked output': async ({ shop, output }) => {
    await put(shop.path('real.json'), output);
    await symlink('real.json', shop.path('link.json'));
    return { file: 'link.json', path: shop.path('link.json') };
  },
  'another name of a foreign file': async ({ shop, data }) => {
    const notes = await put(shop.path('.notes'), data);
    await link(notes, shop.path('two.txt'));
    return { file: 'two.txt', path: shop.path('two.txt') };
  },
  'a pipe': async ({ shop }) => {
    await execa('mkfifo', [shop.path('pipe.json')]);
    return { file: 'pipe.json', path: shop.path('pipe.json') };
  },
  'a device': async ({ shop }) => {
    await symlink('/dev/zero', shop.path('zero.json'));
    return { file: 'zero.json', path: shop.path('zero.json') };
  },
  'a file with one letter of the entry': async ({ shop }) => ({
    file: 'notes.txt',
    path: await put(shop.path('notes.txt'), 'A list of mine\n'),
    value: 'A',
  }),
  'an output of a value that is none': async ({ shop, output }) => {
    const value = 'A'.repeat(120);
    const text = output.replace(/"value": "[^"]+"/, `"value": "${value}"`);
    return { file: 'two.copy.json', path: await put(shop.path('two.copy.json'), text), value };
  },
  'foreign JSON with the data': holding(
    'npcs.json',
    ({ data }) => `${JSON.stringify({ npcs: lines(data) })}\n`,
  ),
  'a page with the data': holding('README.md', ({ data }) => `# Ours\n\n${data}`),
  'a script with the data': holding('two.mcfunction', ({ data }) => `say hello\n# ${data}`),
  'an output with a line of mine': holding('two.value', ({ data }) => `${data}mine\n`),
};

async function stateOf(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  const { ino, size, mtimeMs } = found ?? {};
  const text = found?.isFile() ? await readFile(path, 'utf8') : '';
  return `${ino} ${size} ${mtimeMs} ${text}`;
}

/** By turns, one of them for each claim, in `npm test`. */
const CHANGES = [
  ['--prune does not delete it', (shop: Workshop) => rm(shop.path('a/two.png')), ['--prune']],
  [
    'a rename does not move it',
    (shop: Workshop) => rename(shop.path('a/two.png'), shop.path('a/new.png')),
    [],
  ],
] as const;

const ROWS = Object.entries(CLAIMS).map(([name, make], place) => [name, make, place] as const);

describe.each(ROWS)('A lockfile that claims %s', (_, make, place) => {
  test.each(sampled(CHANGES, 2, place))('proves nothing: %s', async (__, change, options) => {
    const made = await madeFolder();
    const { shop } = made;
    const { file, path, value } = await make(made);
    await claim(shop, 'a/two.png', { ...recordOf(file), ...(value !== undefined && { value }) });
    const before = await stateOf(path);
    await change(shop);
    const ran = await shop.run(...MAKE, ...options);
    expect([ran.exitCode, await stateOf(path)]).toEqual([0, before]);
    expect((await shop.lock('skins.lock')).map(({ source }) => source)).not.toContain('a/two.png');
  });
});

/** What stands where an output of a new source would be. */
const THERE: Readonly<Record<string, (path: string, made: Made) => Promise<unknown>>> = {
  'foreign JSON': (path) => put(path, '{ "mine": true }\n'),
  'foreign JSON with the data': (path, { data }) => put(path, `${JSON.stringify({ npcs: lines(data) })}\n`),
  'a text with one letter': (path) => put(path, 'A\n'),
  'a link to a foreign file': async (path, { shop }) => {
    await put(shop.path('notes.txt'), 'mine\n');
    await symlink('notes.txt', path);
  },
  'another name of a foreign file': async (path, { shop, data }) => {
    await link(await put(shop.path('notes.txt'), data), path);
  },
  'a pipe': (path) => execa('mkfifo', [path]),
  'a device': (path) => symlink('/dev/null', path),
};

test.each(Object.entries(THERE))(
  'A lockfile that claims to have written it does not make generate replace %s',
  async (_, put) => {
    const made = await madeFolder();
    const { shop } = made;
    await rm(shop.path('two.json'));
    await rm(join(shop.machine.dataDir, 'batches', 'outputs.ndjson')); // this machine did not write it
    await put(shop.path('two.json'), made);
    const before = await stateOf(shop.path('two.json'));
    const { exitCode, stderr } = await shop.run(...MAKE);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('two.json exists and skinsmith did not write it.'),
    ]);
    expect(await stateOf(shop.path('two.json'))).toBe(before);
  },
);

test("A rename does not turn a user's file into an output", async () => {
  const { shop } = await madeFolder();
  const foreign = '{ "mine": true }\n';
  await shop.write('new.json', foreign);
  await rename(shop.path('a/two.png'), shop.path('a/new.png'));
  expect((await shop.run('generate', 'a', '--out', '.', '--format', 'value')).exitCode).toBe(0);
  expect([await shop.read('new.json'), await shop.files('.')]).toEqual([
    foreign,
    expect.arrayContaining(['two.json', 'new.value']),
  ]);
  expect((await shop.run(...MAKE)).exitCode).toBe(1);
  expect(await shop.read('new.json')).toBe(foreign);
});
