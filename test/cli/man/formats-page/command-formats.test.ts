import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { shownCommands } from '../../../../src/cli/help/help-page.ts';
import { type CommandOutput, type FieldTable, outputOf } from '../../../../src/cli/output/described.ts';
import { buildProgram } from '../../../../src/cli/program.ts';
import { ENDLESS_COMMANDS } from '../../../support/cli/endless-commands.ts';
import { typeLine } from '../../../support/cli/type-line.ts';
import { CLIENT_ID, runAccountServer } from '../../../support/server/account-server.ts';
import { capePng } from '../../../support/server/drawn-capes.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';
import { linkIdentity } from '../../../support/server/linked-identity.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { guardAgainstLeaks, openOwnStore, WITH_KEY_FILE } from '../../../support/server/running-server.ts';
import { webServer } from '../../../support/server/web-server.ts';
import { isWhole } from '../../../support/setup/whole-run.ts';

guardAgainstLeaks();

const program = await buildProgram({ runner: () => async () => {} });
const OUTPUTS = new Map(declared(program));

function declared(parent: Command, path = ''): [string, CommandOutput][] {
  return shownCommands(parent).flatMap((command) => {
    const own = `${path} ${command.name()}`.trimStart();
    const outputs = outputOf(command).map((output): [string, CommandOutput] => [
      [own, output.mode].filter(Boolean).join(' '),
      output,
    ]);
    return [...outputs, ...declared(command, own)];
  });
}

/** The fields of a JSON value that are not declared, with dotted names. */
function undeclared(value: unknown, fields: FieldTable, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => undeclared(item, fields, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = fields[name];
    if (field === undefined) return [`${path}${name}`];
    const isObject = typeof inner === 'object' && inner !== null;
    if (typeof field === 'string') return isObject && !isPlainList(inner) ? [`${path}${name}.*`] : [];
    return undeclared(inner, field.fields ?? {}, `${path}${name}.`);
  });
}

/** Every value of a JSON document with the name of its field. */
function* valuesIn(value: unknown, name = ''): Generator<readonly [name: string, value: unknown]> {
  if (name !== '' && value !== null) yield [name, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* valuesIn(inner, Array.isArray(value) ? '' : key);
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}

const TIME_NAMES = /(?:^at|At|Until|^eta)$/;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;
const DASHED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const IDS: Readonly<Record<string, RegExp>> = { uuid: /^[0-9a-f]{32}$/, job: DASHED };
/** The hosted service writes the UUIDs of capes with dashes. */
const IDS_OF_CAPES: typeof IDS = { uuid: DASHED };
/** The beginning of 2001: larger numbers are probably times. */
const EARLY = 1e12;

/** What breaks the rules that docs/formats.md gives for all commands. */
function brokenRules(name: string, value: unknown, ids: typeof IDS): string[] {
  return [
    ...(/^[a-z][A-Za-z0-9]*$/.test(name) ? [] : ['is not in camelCase']),
    ...(TIME_NAMES.test(name) && !ISO_TIME.test(String(value)) ? ['is not a time in ISO 8601'] : []),
    ...(typeof value === 'string' && ISO_TIME.test(value) && !TIME_NAMES.test(name) ? ['is a time'] : []),
    ...(typeof value === 'number' && value > EARLY ? ['is a time in milliseconds'] : []),
    ...(ids[name]?.test(String(value)) === false ? [`has another form: ${value}`] : []),
  ].map((rule) => `${name} ${rule}`);
}

/** A number of skins, or the skins themselves; a setting of any kind. */
const OF_SEVERAL_TYPES = ['skins', 'value'];

function isPlainList(value: object): boolean {
  return Array.isArray(value) && value.every((item) => typeof item !== 'object');
}

function documentsIn(text: string, { json }: CommandOutput): unknown[] {
  if (json === undefined) return [];
  return (json.shape === 'lines' ? text.trimEnd().split('\n') : [text]).map((one) => JSON.parse(one));
}

function problemsOf(name: string, { json, columns }: CommandOutput, printed: { rows: string; json: string }) {
  const widths = new Set(
    printed.rows.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t').length])),
  );
  const expected = columns ? [Object.keys(columns).length] : [];
  const problems =
    columns && [...widths].join() !== expected.join() ? [`${name}: columns ${[...widths]}`] : [];
  if (json === undefined) return problems;
  if (printed.json.trim() === '') return [...problems, `${name}: no JSON`];
  const values = documentsIn(printed.json, { json });
  if (!('fields' in json)) return problems;
  const isList = values.every((value) => Array.isArray(value));
  if (isList !== (json.shape === 'list')) problems.push(`${name}: a list: ${isList}`);
  return [...problems, ...undeclared(values, json.fields).map((field) => `${name}: ${field}`)];
}

test('Every command prints the columns and the JSON fields that it declares', async () => {
  const { fake, server } = await runAccountServer(WITH_KEY_FILE);
  const folder = await ownFolder();
  const registry = await webServer((_, response) => void response.end('{"version":"99.0.0"}'));
  const env = {
    SKINSMITH_GAME_ADDRESSES: JSON.stringify(fake.addresses),
    npm_config_registry: registry.url,
  };
  const place = { url: server.url, key: server.key, env };
  const type = async (words: readonly string[], isJson = false) => {
    const given = words.includes('--import') ? { stdin: randomUUID().replaceAll('-', '').repeat(2) } : {};
    const { out, err, told } = await typeLine(words, {
      ...place,
      ...given,
      flags: isJson ? { json: true } : {},
    });
    expect({ words, told, err }).toEqual({ words, told: undefined, err: '' });
    return out;
  };
  const typeJson = async (...words: string[]) => JSON.parse(await type(words, true));
  let number = 0;
  const file = async (bytes: Uint8Array | string, ending = '.png') => {
    const path = join(folder, `file-${number++}${ending}`);
    await writeFile(path, bytes);
    return path;
  };
  const picture = async () => await file(skinPng(number));
  const token = async () =>
    await file(fake.microsoft.refreshToken(fake.addAccount().id, CLIENT_ID), '.token');
  const linkAccount = async () =>
    ((await typeJson('accounts', 'link', '--token-file', await token())) as { uuid: string }).uuid;
  const addCape = async () =>
    (
      (await typeJson('capes', 'create', await file(capePng(number)), '--alias', `cape-${number}`)) as {
        uuid: string;
      }
    ).uuid;
  const addUser = async () =>
    ((await typeJson('users', 'create', `user-${number++}`)) as { name: string }).name;
  const addKey = async () => ((await typeJson('keys', 'create', `key-${number++}`)) as { id: string }).id;
  const link = async () => {
    await linkIdentity(server, 'owner', `person-${number++}`);
    return String((await typeJson('identities', 'list'))[0].id);
  };
  const account = await linkAccount();
  await link();
  await addCape();
  const made = (await typeJson('generate', await picture())) as { uuid: string; job: string };
  const makeSkin = async () => ((await typeJson('generate', await picture())) as { uuid: string }).uuid;
  const makeSet = async () =>
    ((await typeJson('sets', 'create', `set-${number++}`, await makeSkin())) as { slug: string }).slug;
  const setUuid = async () =>
    ((await typeJson('sets', 'create', `set-${number++}`)) as { uuid: string }).uuid;
  const deleteSet = async () => {
    const slug = await makeSet();
    await type(['sets', 'delete', slug, '--yes']);
    return slug;
  };
  const addReport = async () => {
    await type(['reports', 'create', await makeSkin(), '--reason', 'other', '--text', 'look']);
    return String((await typeJson('reports', 'list'))[0].id);
  };
  const hash = () => (number++).toString(16).padStart(64, '0');
  const block = async () => {
    const image = hash();
    await type(['moderation', 'block', image]);
    return image;
  };
  const signed = join(folder, 'signed/');
  await type(['generate', await picture(), '--out', signed]);
  const job = ((await typeJson('queue', await picture(), '--wait')) as { job: string }).job;
  const failedJob = async () => {
    const { job: id } = (await typeJson('queue', await picture(), '--wait')) as { job: string };
    const { db } = await openOwnStore(server.dataDir);
    await db.updateTable('jobs').set({ status: 'failed', skin_uuid: null }).where('uuid', '=', id).execute();
    return id;
  };
  const backup = join(folder, 'all.backup');
  const data = join(folder, 'data');

  const lines: Readonly<Record<string, () => Promise<string[]> | string[]>> = {
    generate: async () => [await picture()],
    'generate --dry-run': async () => [await picture()],
    'generate --dry-run --ndjson': async () => [await picture()],
    queue: async () => [await picture()],
    'queue --wait': async () => [await picture()],
    'queue --dry-run': async () => [await picture()],
    'queue --dry-run --ndjson': async () => [await picture()],
    status: () => [job],
    jobs: () => [],
    retry: async () => [await failedJob()],
    'retry --wait': async () => [await failedJob()],
    'skins list': () => [],
    'skins get': () => [made.uuid],
    'skins download': () => [made.uuid, '--out', folder],
    'skins export': () => [join(folder, 'skins.zip'), '--overwrite'],
    'skins edit': () => [made.uuid, '--name', 'Smith'],
    'skins delete': async () => [await makeSkin(), '--yes'],
    wear: () => [made.uuid, '--as', 'Steve'],
    verify: () => [join(signed, 'skins.lock')],
    check: async () => [await picture()],
    download: () => [made.uuid, '--out', folder],
    pack: async () => [await picture(), '--out', join(folder, randomUUID(), 'pack.zip')],
    preview: async () => [await picture()],
    render: async () => [await picture(), '--out', join(signed, 'render.png')],
    'config list': () => [],
    'config get': () => ['base-url'],
    'config path': () => [],
    doctor: () => [],
    whoami: () => [],
    'keys create': () => [`key-${number++}`],
    'keys create --import': () => [`key-${number++}`],
    'keys list': () => [],
    'keys edit': async () => [await addKey(), '--name', 'ci'],
    'keys revoke': async () => [await addKey()],
    'identities list': () => [],
    'identities delete': async () => [await link()],
    'sets create': async () => [`set-${number++}`, await makeSkin()],
    'sets list': () => [],
    'sets get': async () => [await makeSet()],
    'sets edit': async () => [await makeSet(), '--visibility', 'unlisted'],
    'sets export': async () => [await makeSet(), join(folder, `set-${number++}.zip`)],
    'sets delete': async () => [await makeSet(), '--yes'],
    'sets names': () => [],
    'sets release': async () => [await deleteSet(), '--yes'],
    'capes list': () => [],
    'capes create': async () => [await file(capePng(number)), '--alias', `cape-${number}`],
    'capes edit': async () => [await addCape(), '--alias', `cape-${number}-2`],
    'capes delete': async () => [await addCape()],
    'players list': () => [],
    'players get': () => ['Steve'],
    'players import': async () => [await file(Buffer.from('name,user\nAlex,owner\n'))],
    'players release': async () => {
      const name = `p${number++}`;
      await type(['wear', '--as', name, '--for', 'owner']);
      return [name, '--yes'];
    },
    'users create': () => [`user-${number++}`],
    'users list': () => [],
    'users get': async () => [await addUser()],
    'users edit': async () => [await addUser(), '--plan', 'pro'],
    'users invite': async () => [await addUser()],
    'users uninvite': async () => [await addUser()],
    'users disable': async () => [await addUser()],
    'users enable': async () => [await addUser()],
    'reports create': async () => [await makeSkin(), '--reason', 'other'],
    'reports list': () => [],
    'reports close': async () => [await addReport()],
    'moderation hide': async () => [await makeSkin()],
    'moderation unhide': async () => [await makeSkin()],
    'moderation delete': async () => [await makeSkin(), '--yes'],
    'moderation replace-name': async () => [await setUuid()],
    'moderation block': () => [hash()],
    'moderation unblock': async () => [await block()],
    'moderation blocked': () => [],
    'moderation log': () => [],
    'accounts link': async () => ['--token-file', await token()],
    'accounts list': () => [],
    'accounts pause': () => [account],
    'accounts resume': () => [account],
    'accounts edit': () => [account, '--share'],
    'accounts health': () => [],
    'accounts wear': async () => [await makeSkin(), '--account', account, '--yes'],
    'accounts unlink': async () => [await linkAccount(), '--yes'],
    backup: () => [backup, '--data', server.dataDir, '--overwrite'],
    'backup --verify': () => [backup],
    restore: () => [backup, '--data', data, '--force'],
    health: () => [],
    // test/conformance judges the whole service.
    conformance: () => ['--pause', '0', ...(isWhole ? [] : ['--only', 'capes'])],
    version: () => [],
    'version --check': () => [],
    'store copy': () => [server.dataDir, join(folder, `copy ${randomUUID()}`)],
  };
  expect([...Object.keys(lines), ...ENDLESS_COMMANDS].sort()).toEqual([...OUTPUTS.keys()].sort());

  const problems = [];
  const types = new Map<string, Set<string>>();
  for (const [name, words] of Object.entries(lines)) {
    const line = async () => [...name.split(' '), ...(await words())];
    const output = OUTPUTS.get(name)!;
    // What has no columns is for people, and checked nowhere else in this test.
    const rows = output.columns || isWhole ? await type(await line()) : '';
    const printed = { rows, json: await type(await line(), true) };
    problems.push(...problemsOf(name, output, printed));
    for (const [field, value] of documentsIn(printed.json, output).flatMap((all) => [...valuesIn(all)])) {
      const ids = name.startsWith('capes ') ? IDS_OF_CAPES : IDS;
      problems.push(...brokenRules(field, value, ids).map((problem) => `${name}: ${problem}`));
      types.set(field, new Set([...(types.get(field) ?? []), typeOf(value)]));
    }
  }
  expect(problems).toEqual([]);
  const mixed = [...types].filter(([, of]) => of.size > 1).map(([name, of]) => `${name}: ${[...of].join()}`);
  expect(mixed.filter((name) => !OF_SEVERAL_TYPES.includes(name.split(':')[0]!))).toEqual([]);
});

test.each([...OUTPUTS])(
  'Every column of %s has a meaning',
  (_, { columns = {}, columnMeanings = {}, json }) => {
    const fields = json && 'fields' in json ? json.fields : {};
    expect(Object.keys(columns).filter((name) => !(name in fields) && !(name in columnMeanings))).toEqual([]);
  },
);
