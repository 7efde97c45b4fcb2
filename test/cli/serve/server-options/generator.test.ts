import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../src/cli/commands/serve.ts';
import { chooseGenerator } from '../../../../src/cli/serve/server-options.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const KEY = 'k'.repeat(64);
const THERE = { SKINSMITH_UPSTREAM: 'https://skins.example.org/', SKINSMITH_UPSTREAM_KEY: ` ${KEY}\n` };

describeParsing('serve, for who makes the skins', serve, {
  taken: [
    [
      [
        '--generator',
        'upstream',
        '--upstream',
        'https://skins.example.org/',
        '--upstream-key-file',
        'key.txt',
      ],
      {
        generator: 'upstream',
        upstream: 'https://skins.example.org',
        upstreamKeyFile: 'key.txt',
        webhooks: true,
        pages: true,
        anonymous: true,
        userAccounts: true,
        ownerKey: true,
      },
    ],
    [
      ['--upstream-slots', '3', '--upstream-visibility', 'private'],
      {
        upstreamSlots: 3,
        upstreamVisibility: 'private',
        webhooks: true,
        pages: true,
        anonymous: true,
        userAccounts: true,
        ownerKey: true,
      },
    ],
  ],
  refused: [
    [['--generator', 'magic'], /Allowed choices are signing, accounts, upstream/],
    [['--upstream', 'ftp://x'], /must be an address/],
    [['--upstream-slots', '0'], /whole number from 1 to 64/],
    [['--upstream-key', KEY], /unknown option/],
  ],
});

describe('The generator of skins', () => {
  test("is the service's own key by default", async () => {
    expect(await chooseGenerator({}, { env: {} })).toEqual({ generator: 'signing', upstream: undefined });
  });

  test('comes from the environment, unless an option is given', async () => {
    const env = { ...THERE, SKINSMITH_GENERATOR: 'upstream' };
    expect(await chooseGenerator({}, { env })).toEqual({
      generator: 'upstream',
      upstream: { url: 'https://skins.example.org', apiKey: KEY, insecureHttp: false },
    });
    expect((await chooseGenerator({ generator: 'signing' }, { env })).generator).toBe('signing');
    const typed = { upstream: 'http://localhost:1', upstreamSlots: 2 };
    expect((await chooseGenerator(typed, { env })).upstream).toMatchObject({
      url: 'http://localhost:1',
      slots: 2,
    });
  });

  test('reads its key from a file', async () => {
    const upstreamKeyFile = join(await ownFolder(), 'key');
    await writeFile(upstreamKeyFile, `${'f'.repeat(64)}\n`);
    const chosen = await chooseGenerator({ generator: 'upstream', upstreamKeyFile }, { env: THERE });
    expect(chosen.upstream?.apiKey).toBe('f'.repeat(64));
  });

  test.each<[string, Parameters<typeof chooseGenerator>[0], NodeJS.ProcessEnv, RegExp]>([
    ['no address', { generator: 'upstream' }, {}, /needs the service/],
    ['no key', { generator: 'upstream', upstream: 'http://a' }, {}, /needs a key/],
    [
      'two words for a key',
      { generator: 'upstream' },
      { ...THERE, SKINSMITH_UPSTREAM_KEY: 'a b' },
      /does not contain an API key/,
    ],
    [
      'no http address',
      { generator: 'upstream' },
      { ...THERE, SKINSMITH_UPSTREAM: 'file:///x' },
      /http address/,
    ],
    ['an unknown kind', {}, { SKINSMITH_GENERATOR: 'magic' }, /one of signing, accounts, upstream/],
    ['options of another kind', { upstream: 'http://a' }, {}, /only with the generator "upstream"/],
  ])('is refused: %s', async (_, typed, env, message) => {
    await expect(chooseGenerator(typed, { env })).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringMatching(message),
    });
  });

  test('is refused as a usage error if its key file does not exist', async () => {
    const upstreamKeyFile = join(await ownFolder(), 'key');
    const refused = chooseGenerator({ generator: 'upstream', upstreamKeyFile }, { env: THERE });
    await expect(refused).rejects.toMatchObject({
      exit: 'usage',
      message: `The key file ${upstreamKeyFile} cannot be read.`,
    });
  });

  test('does not show a password that is written into the address', async () => {
    const env = { ...THERE, SKINSMITH_UPSTREAM: 'https://me:secret@skins.example.org' };
    const refused = chooseGenerator({ generator: 'upstream' }, { env });
    await expect(refused).rejects.toThrow(/^(?!.*secret).*without user name and password/);
  });
});
