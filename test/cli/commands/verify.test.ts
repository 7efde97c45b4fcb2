import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runVerify, verify } from '../../../src/cli/commands/verify.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { lineOf, withDigest } from '../../../src/protocol/lock-line.ts';
import { buildTexturesValue } from '../../../src/textures/property.ts';
import { signValue } from '../../../src/textures/signing-key.ts';
import { hash, lockEntry, ownPath } from '../../support/batch/lockfile-entries.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { webServer } from '../../support/server/web-server.ts';

describeParsing('verify', verify, {
  taken: [
    [['skins.lock'], ['skins.lock'], {}],
    [['a', 'b', '--key', 'k.pem', '--offline'], ['a', 'b'], { key: 'k.pem', offline: true }],
  ],
  refused: [[[], /missing required argument 'file'/]],
});

test('verify refuses a folder and suggests the lockfile in it', async () => {
  const folder = await ownFolder();
  const verify = async () =>
    (await runCommand(async (context) => await runVerify([folder], {}, context), {})).told;
  const message = `${folder} is a folder.`;
  expect(await verify()).toMatchObject({ message, hint: expect.stringContaining('Give a lockfile') });
  const lockfile = join(folder, 'skins.lock');
  await writeFile(lockfile, '');
  expect(await verify()).toMatchObject({
    message,
    hint: `Give the lockfile in it: skinsmith verify ${lockfile}`,
  });
});

test('Anything but a file or folder is refused without being opened: opening a pipe would block', async () => {
  const ran = await runCommand(async (context) => await runVerify(['/dev/null'], {}, context), {});
  expect(ran.told).toMatchObject({ code: 'not_a_file', message: '/dev/null is not a regular file.' });
});

describe('A lockfile whose textures cannot be fetched', () => {
  /** Three skins with textures on a server that closes each connection; `seen`: the paths that were asked for. */
  async function prepare() {
    const seen = new Set<string>();
    const { url } = await webServer((request, response) => {
      seen.add(request.url ?? '');
      response.destroy();
    });
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const entries = ['a.png', 'b.png', 'c.png'].map(async (source) => {
      const texture = `${url}/textures/${hash(source)}`;
      const skin = { url: texture, variant: 'classic' } as const;
      const value = buildTexturesValue({
        timestamp: 0,
        profileId: 'ab'.repeat(16),
        profileName: 'Smith',
        skin,
      });
      const signature = await signValue(value, privateKey);
      return lockEntry({
        source,
        value,
        signature,
        texture,
        service: 'embedded',
        signer: 'embedded',
        key: undefined,
      });
    });
    const lines = (await Promise.all(entries)).map((entry) => `${lineOf(withDigest(entry))}\n`);
    const file = await ownPath(lines.join(''));
    return { file, url, seen };
  }

  test('is verified with only one wait for their host, which is reported, and shown in detail with --verbose', async () => {
    const { file, url, seen } = await prepare();
    const verify = async (context: CommandContext) => await runVerify([file], {}, context);
    const ran = await runCommand(verify, { flags: { quiet: false, verbose: true } });
    expect([ran.status, seen.size]).toEqual([0, 1]);
    expect(ran.err).toContain(`GET ${url}/textures/${hash('a.png')} unreachable`);
    expect(ran.err).toContain(`3 textures could not be fetched from ${url} (is skinsmith serve running?).\n`);
  });

  test('is not reported as free of problems', async () => {
    const { file } = await prepare();
    const verify = async (context: CommandContext) => await runVerify([file], {}, context);
    const { status, err } = await runCommand(verify, { flags: { quiet: false } });
    expect([status, err]).toEqual([0, expect.stringContaining('3 whose texture was not checked.')]);
  });

  test('is not verified after Ctrl-C', async () => {
    const { file } = await prepare();
    const stop = new AbortController();
    stop.abort();
    const ran = await runCommand(async (context) => await runVerify([file], {}, context), {
      signal: stop.signal,
    });
    expect([ran.out, ran.told]).toMatchObject(['', { exit: 'interrupted' }]);
  });
});

describe('A file of a plugin', () => {
  const value = (name: string) =>
    buildTexturesValue({
      timestamp: 0,
      profileId: 'ab'.repeat(16),
      profileName: name,
      skin: { url: 'https://a.example/textures/x', variant: 'classic' },
    });
  const signature = Buffer.alloc(256, 7).toString('base64');
  const npc = (name: string, data: string) => `  '${name}': {name: ${name}, skin: {${data}}}\n`;

  async function verifyFile(text: string) {
    const folder = await ownFolder();
    const file = join(folder, 'npcs.yml');
    await writeFile(file, text);
    const verify = async (context: CommandContext) => await runVerify([file], { offline: true }, context);
    return await runCommand(verify, { flags: { quiet: false } });
  }

  test('is verified to its end even if parts are broken, and data without a signature is called unsigned', async () => {
    const ran = await verifyFile(
      `npcs:\n${npc('Ann', `value: ${value('Ann').slice(0, 100)}, signature: ${signature}`)}` +
        `${npc('Bob', `value: ${value('Bob')}`)}${npc('Cid', `value: ${value('Cid')}, signature: ${signature}`)}` +
        `${npc('Dan', 'identifier: notch')}x: {? ${value('Eve')} : 1}\n`,
    );
    const rows = ran.out
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(rows.map(([source, verdict, signed]) => [source?.replace(/.*\//, ''), verdict, signed])).toEqual([
      ['Ann', 'bad', 'unproved'],
      ['Bob', 'bad', 'unsigned'],
      ['Cid', 'good', 'unproved'],
      ['npcs.yml:6', 'bad', 'bad'],
    ]);
    expect(ran.status).toBe(1);
    expect(ran.err).toContain('1 NPC has a skin whose data is not stored with the plugin: Dan (notch).');
    expect(ran.err).toContain('4 skins: 2 wrong, 1 without a signature');
  });

  test('with nothing that looks like skin data is the wrong file', async () => {
    const ran = await verifyFile('npcs: {}\n');
    expect(ran.told).toMatchObject({
      code: 'no_skins',
      message: expect.stringMatching(/holds no skin data\.$/),
    });
  });
});
