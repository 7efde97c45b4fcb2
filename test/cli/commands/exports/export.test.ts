import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  runSkinsExport,
  type SkinsExportOptions,
  skinsExport,
} from '../../../../src/cli/commands/exports.ts';
import { runGenerate } from '../../../../src/cli/commands/generate.ts';
import { contextWith } from '../../../support/cli/client-context.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { runCommand } from '../../../support/cli/run-command.ts';
import { refusal } from '../../../support/client/answers.ts';
import type { Exchange } from '../../../support/client/scripted-server.ts';
import { testClient } from '../../../support/client/test-client.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { readZip } from '../../../support/server/read-zip.ts';
import { runServer } from '../../../support/server/running-server.ts';

describeParsing('skins export', skinsExport, {
  taken: [
    [[], undefined, {}],
    [['a.zip'], 'a.zip', {}],
    [
      ['-', '--format', 'lock', '--overwrite', '--after', 'b'],
      '-',
      { format: 'lock', overwrite: true, after: 'b' },
    ],
    [
      ['--filter', 'a b', '--variant', 'slim', '--visibility', 'private'],
      undefined,
      { filter: 'a b', variant: 'slim', visibility: 'private' },
    ],
  ],
  refused: [
    [['--format', 'tar'], /Allowed choices are zip, lock/],
    [['--visibility', 'secret'], /Allowed choices/],
    [[''], /must not be empty/],
    [['a', 'b'], /too many arguments/],
  ],
});

/** A service whose owner has three skins, and an empty folder. */
async function openDesk() {
  const { owner, url, key } = await runServer();
  for (const [n, visibility] of (['public', 'private', 'private'] as const).entries())
    await owner.upload('/v2/generate', skinPng(n), { name: `hat ${n}`, visibility });
  const folder = await ownFolder();
  const run = async (
    { file, ...options }: SkinsExportOptions & { readonly file?: string },
    more: Partial<Parameters<typeof runCommand>[1]> = {},
  ) =>
    await runCommand(async (context) => await runSkinsExport(file, options, context), { url, key, ...more });
  return { folder, run };
}

const namesIn = (lock: Buffer | string) =>
  String(lock)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).name);

describe('skins export', () => {
  test('saves the skins in the format of the file name, and says how many', async () => {
    const { folder, run } = await openDesk();
    const [zip, lock] = [join(folder, 'all.zip'), join(folder, 'some.lock')];
    expect(await run({ file: zip }, { flags: { quiet: false } })).toMatchObject({
      status: 0,
      out: '',
      err: `Wrote 3 skins to ${zip}.\n`,
    });
    const files = readZip(await readFile(zip));
    expect(files.size).toBe(4);
    expect(namesIn(files.get('skins.lock')!)).toEqual(['hat 2', 'hat 1', 'hat 0']);

    const told = await run({ file: lock, visibility: 'private', filter: '1' }, { flags: { json: true } });
    expect(JSON.parse(told.out)).toEqual({ file: lock, format: 'lock', skins: 1 });
    expect(namesIn(await readFile(lock))).toEqual(['hat 1']);
    expect(await readdir(folder)).toEqual(['all.zip', 'some.lock']);
  });

  test('writes to stdout in the requested format', async () => {
    const { run } = await openDesk();
    const { status, out } = await run({ file: '-' });
    expect([status, readZip(Buffer.from(out, 'latin1')).size]).toEqual([0, 4]);
    const lines = await run({ file: '-', format: 'lock' }, { isTTY: true, flags: { quiet: true } });
    expect(namesIn(lines.out)).toEqual(['hat 2', 'hat 1', 'hat 0']);
  });

  test('exports the skins of this machine when no service is set', async () => {
    const folder = await ownFolder();
    const [png, zip] = [join(folder, 'smith.png'), join(folder, 'skins.zip')];
    await writeFile(png, skinPng(1));
    const env = { SKINSMITH_DATA_DIR: join(folder, 'data') };
    await runCommand(async (context) => await runGenerate([png], {}, context), { env });
    const ran = await runCommand(async (context) => await runSkinsExport(zip, {}, context), { env });
    expect(ran).toMatchObject({ status: 0, told: undefined });
    expect(namesIn(readZip(await readFile(zip)).get('skins.lock')!)).toEqual(['smith']);
  });

  test('replaces an existing file only on request', async () => {
    const { folder, run } = await openDesk();
    const [file, link] = [join(folder, 'old.lock'), join(folder, 'link.lock')];
    await writeFile(file, 'old');
    await symlink(join(folder, 'nowhere'), link);
    for (const existing of [file, link, folder])
      expect((await run({ file: existing }, { url: 'http://127.0.0.1:1' })).told).toMatchObject({
        code: 'file_exists',
        message: `${existing} already exists.`,
        hint: expect.stringContaining('--overwrite'),
        exit: 'usage',
      });
    expect(await readFile(file, 'utf8')).toBe('old');
    expect(await run({ file, overwrite: true })).toMatchObject({ status: 0 });
    expect(namesIn(await readFile(file))).toHaveLength(3);
  });

  test('never replaces a picture', async () => {
    const file = join(await ownFolder(), 'skin.png');
    await writeFile(file, 'a picture');
    const { told } = await (await openDesk()).run({ file, overwrite: true });
    expect([told, await readFile(file, 'utf8')]).toMatchObject([{ code: 'output_is_picture' }, 'a picture']);
  });

  test('does not replace a file that was created during the export', async () => {
    const file = join(await ownFolder(), 'skins.lock');
    const { client } = await testClient([
      {
        expect: 'GET /v2/me/skins.lock?',
        act: (response) =>
          void writeFile(file, 'new').then(() =>
            response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(),
          ),
      },
    ]);
    const { context } = contextWith(client);
    await expect(runSkinsExport(file, {}, context)).rejects.toMatchObject({ code: 'file_exists' });
    expect(await readFile(file, 'utf8')).toBe('new');
    expect(await readdir(join(file, '..'))).toEqual(['skins.lock']);
  });

  test('refuses to write to stdout what cannot go there', async () => {
    const { run } = await openDesk();
    expect((await run({ file: '-' }, { isTTY: true })).told).toMatchObject({
      code: 'zip_on_terminal',
      exit: 'usage',
    });
    const both = await run({ file: '-', format: 'lock' }, { flags: { json: true } });
    expect(both.told).toMatchObject({ code: 'stdout_taken', exit: 'usage' });
  });

  test('says how to continue when there are more skins than one zip holds', async () => {
    const file = join(await ownFolder(), 'part.zip');
    const end = Buffer.alloc(22);
    const comment = 'There are more skins: after=17';
    end.writeUInt32LE(0x06054b50);
    end.writeUInt16LE(5, 10);
    end.writeUInt16LE(comment.length, 20);
    const { client } = await testClient([
      {
        expect: 'GET /v2/me/skins.zip?filter=a&after=9',
        headers: { 'content-type': 'application/zip' },
        text: end.toString('latin1') + comment,
      },
    ]);
    const { context, out, err } = contextWith(client);
    const json = { ...context, flags: { json: true } };
    await runSkinsExport(file, { filter: 'a', after: '9' }, json);
    expect(JSON.parse(out())).toEqual({ file, format: 'zip', skins: 3, next: '17' });
    expect(err()).toContain('--after 17');
  });

  const answers: [what: string, answer: Partial<Exchange>][] = [
    ['a page', { status: 404, text: '<html>Cannot GET' }],
    ['a refusal', { status: 404, json: refusal('not_found') }],
    ['405', { status: 405, json: refusal('method_not_allowed') }],
  ];
  test.each(answers)('says that the service has no exports when it answers with %s', async (_, answer) => {
    const folder = await ownFolder();
    const { client } = await testClient([{ expect: 'GET /v2/me/skins.zip?', ...answer }]);
    await mkdir(join(folder, 'out'));
    const { context } = contextWith(client);
    await expect(runSkinsExport(join(folder, 'out/a.zip'), {}, context)).rejects.toMatchObject({
      code: 'not_offered',
      message: 'This service cannot export your skins.',
    });
    expect(await readdir(join(folder, 'out'))).toEqual([]);
  });
});
