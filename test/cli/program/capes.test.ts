import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { capesCreate, capesDelete, capesEdit, capesList } from '../../../src/cli/commands/capes.ts';
import { type GenerateCommandOptions, runGenerate } from '../../../src/cli/commands/generate.ts';
import { lockEntrySchema } from '../../../src/protocol/lock-line.ts';
import { parseTexturesValue } from '../../../src/textures/property.ts';
import { readLines } from '../../support/batch/read-lines.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { addCape, capePng } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

async function fileOf(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(await ownFolder(), name);
  await writeFile(path, bytes);
  return path;
}

describe('capes', () => {
  test('are created, listed, edited and deleted, by their UUIDs or aliases', async () => {
    const { url, key } = await runServer();
    const at = { url, key };
    const file = await fileOf('Red.png', capePng(1));
    const add = async (options: Parameters<typeof capesCreate.run>[1]) =>
      await runCommand((context) => capesCreate.run(file, options, context), {
        ...at,
        flags: { json: true },
      });
    const red = JSON.parse((await add({})).out) as { uuid: string };
    expect(red).toMatchObject({ alias: 'Red', support: 'public' });
    expect(JSON.parse((await add({ alias: 'Blue', hidden: true })).out)).toMatchObject({ support: 'none' });

    const list = async (all: boolean) =>
      (await runCommand((context) => capesList.run({ all }, context), at)).out
        .split('\n')
        .filter(Boolean)
        .map((row) => row.split('\t').slice(1, 3).join(' '));
    expect([await list(false), await list(true)]).toEqual([['public Red'], ['none Blue', 'public Red']]);

    await runCommand((context) => capesEdit.run('blue', { show: true, alias: 'Navy' }, context), at);
    await runCommand((context) => capesEdit.run(red.uuid, { hide: true }, context), at);
    expect([await list(false), await list(true)]).toEqual([['public Navy'], ['public Navy', 'none Red']]);

    const gone = await runCommand((context) => capesDelete.run(['navy', red.uuid], context), at);
    expect([gone.status, await list(true)]).toEqual([0, []]);
  });

  test('stay if one of several to delete does not exist', async () => {
    const server = await runServer();
    await addCape(server, 'red');
    const { told } = await runCommand((context) => capesDelete.run(['red', 'blue'], context), server);
    expect(told).toMatchObject({ code: 'invalid_cape', exit: 'failed' });
    expect((await server.owner.get('/v2/capes')).body.capes).toHaveLength(1);
  });

  test('can be changed by the operator, with an error for no change or a missing file', async () => {
    const server = await runServer();
    const { body } = await server.owner.json('/v2/account/keys', { user: 'bob' });
    const bob = { url: server.url, key: String(body.key?.secret) };
    const file = await fileOf('a.png', capePng(1));
    const refused = await runCommand((context) => capesCreate.run(file, {}, context), bob);
    expect(refused.told).toMatchObject({ code: 'insufficient_grants', exit: 'notAllowed' });
    const nothing = await runCommand((context) => capesEdit.run('red', {}, context), server);
    expect(nothing.told).toMatchObject({ code: 'nothing_to_change', exit: 'usage' });
    const missing = await runCommand((context) => capesCreate.run('/nowhere/a.png', {}, context), server);
    expect(missing.told).toMatchObject({ code: 'no_such_file' });
  });
});

describe('generate --cape', () => {
  const make = async (
    at: { url: string; key: string | undefined },
    { sources = [], ...options }: Partial<GenerateCommandOptions>,
  ) =>
    await runCommand((context) => runGenerate(sources, options, context), {
      ...at,
      flags: { json: true },
    });

  test('puts the cape that is named by its alias or its UUID into the skin', async () => {
    const server = await runServer();
    const cape = await addCape(server, 'Red');
    const skin = await fileOf('a.png', skinPng(1));
    const [bare, ...caped] = await Promise.all(
      [undefined, 'red', cape, cape.replaceAll('-', '').toUpperCase()].map(
        async (named) => await make(server, { sources: [skin], ...(named && { cape: named }) }),
      ),
    );
    const values = [bare, ...caped].map((ran) => (JSON.parse(ran?.out ?? '') as { value: string }).value);
    const { url } = (await server.owner.get('/v2/capes')).body.capes?.[0] ?? expect.unreachable();
    expect(values.map((value) => parseTexturesValue(value).cape?.url)).toEqual([undefined, url, url, url]);
  });

  test('reports which capes do not exist, and what cannot be known offline', async () => {
    const server = await runServer();
    const skin = await fileOf('a.png', skinPng(1));
    const unknown = await make(server, { sources: [skin], cape: 'Blue' });
    expect(unknown.told).toMatchObject({ code: 'invalid_cape', hint: expect.stringContaining('capes list') });
    const refused = await make(server, { sources: [skin], cape: '0'.repeat(32) });
    expect([refused.status, JSON.parse(refused.out)]).toMatchObject([1, { error: { code: 'invalid_cape' } }]);
    const offline = await make(server, { sources: [skin], cape: 'Blue', frozen: true, out: 'x/' });
    expect(offline.told).toMatchObject({ code: 'cape_needs_uuid', exit: 'usage' });
  });

  test('is used for every skin of a batch, and recorded in the lockfile', async () => {
    const server = await runServer();
    const [red, blue] = [await addCape(server, 'red', 1), await addCape(server, 'blue', 2)];
    const skins = [await fileOf('a.png', skinPng(1)), await fileOf('b.png', skinPng(2))];
    const out = `${await ownFolder()}/`;
    const batch = async (options: Partial<GenerateCommandOptions>) => {
      const { status } = await make(server, { sources: skins, out, ...options });
      return [status, readLines(join(out, 'skins.lock')).map((line) => lockEntrySchema.parse(line))] as const;
    };
    const capeUrls = (lines: readonly { value: string }[]) =>
      lines.map(({ value }) => parseTexturesValue(value).cape?.url.slice(-64));
    const hash = (n: number) => listed[n]?.hash;
    const listed = (await server.owner.get('/v2/capes')).body.capes ?? [];

    const [, bare] = await batch({});
    expect(bare.map(({ options }) => options.cape)).toEqual([undefined, undefined]);
    const [, first] = await batch({ cape: 'red' });
    expect(first.map(({ options }) => options.cape)).toEqual(Array(2).fill(red.replaceAll('-', '')));
    expect(capeUrls(first)).toEqual([hash(1), hash(1)]);
    const [, again] = await batch({ cape: red });
    expect(again).toEqual(first);
    expect((await batch({ cape: red, frozen: true }))[0]).toBe(0);
    expect((await batch({ cape: blue, frozen: true }))[0]).toBe(3);
    expect((await batch({ frozen: true }))[0]).toBe(3);
    const [, second] = await batch({ cape: 'blue' });
    expect(capeUrls(second)).toEqual([hash(0), hash(0)]);
  });
});
