import { describe, expect, test } from 'vitest';
import { VERSION } from '../../../src/base/version.ts';
import { runVersion, type VersionOptions, version } from '../../../src/cli/commands/version.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { webServer } from '../../support/server/web-server.ts';

describeParsing('version', version, {
  taken: [
    [[], {}],
    [['--check'], { check: true }],
    [['--licenses'], { licenses: true }],
  ],
  refused: [[['x'], /too many arguments/]],
});

/** A registry whose newest release is this one, or that answers with these bytes. */
async function registry(newest: string, status = 200) {
  const body = /^\d/.test(newest) ? JSON.stringify({ name: 'skinsmith', version: newest }) : newest;
  return await webServer((_, response) => void response.writeHead(status).end(body));
}

const type = async (options: VersionOptions, place: Parameters<typeof runCommand>[1]) =>
  await runCommand((context) => runVersion(options, context), place);

describe('version', () => {
  test('prints the version alone, and with --json also Node and the schema of stores', async () => {
    expect(await type({}, {})).toMatchObject({ status: 0, out: `${VERSION}\n` });
    expect(JSON.parse((await type({}, { flags: { json: true } })).out)).toEqual({
      version: VERSION,
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
      install: 'npm',
      schema: expect.any(Number),
    });
  });

  test.each([
    ['99.0.0', /^This is skinsmith .*\. Release 99\.0\.0 is newer: see docs\/upgrading\.md\.\n$/],
    [VERSION, /There is no newer release\.\n$/],
    ['0.0.9', /There is no newer release\.\n$/],
  ])('--check asks the registry once and says what release %s means', async (newest, said) => {
    const { url, seen } = await registry(newest);
    const place = { env: { npm_config_registry: `${url}/` } };
    expect((await type({ check: true }, { ...place, isTTY: true })).out).toMatch(said);
    expect((await type({ check: true }, place)).out).toBe(`${VERSION}\t${newest}\n`);
    expect(JSON.parse((await type({ check: true }, { ...place, flags: { json: true } })).out)).toMatchObject({
      version: VERSION,
      newest,
    });
    expect(seen.map(({ line }) => line)).toEqual(Array(3).fill('GET /skinsmith/latest'));
  });

  test('--check goes through the proxy', async () => {
    const proxy = await registry('99.0.0');
    const env = { npm_config_registry: 'http://registry.example', http_proxy: proxy.url };
    await type({ check: true }, { env });
    expect(proxy.seen.map(({ headers }) => headers.host)).toEqual(['registry.example']);
  });

  test.each([
    ['"nothing"', 404, 'no_release', 'failed'],
    ['<html>', 200, 'release_unknown', 'tryLater'],
    ['{"version":"\\u001b[31m"}', 200, 'release_unknown', 'tryLater'],
  ])('--check reports that the registry answers %s (%i)', async (body, status, code, exit) => {
    const { url } = await registry(body, status);
    const { told, out } = await type({ check: true }, { env: { npm_config_registry: url } });
    expect([out, told]).toMatchObject(['', { code, exit }]);
  });

  test('--check says why there is no answer if no registry answers or npm_config_registry has no address', async () => {
    const nowhere = await type({ check: true }, { env: { npm_config_registry: 'http://127.0.0.1:1' } });
    expect(nowhere.told).toMatchObject({
      code: 'release_unknown',
      message: '127.0.0.1:1 cannot be reached: connection refused.',
    });
    const wrong = await type({ check: true }, { env: { npm_config_registry: 'nowhere' } });
    expect(wrong.told).toMatchObject({ code: 'invalid_setting', exit: 'usage' });
    const both = await type({ check: true, licenses: true }, {});
    expect(both.told).toMatchObject({ code: 'two_outputs', exit: 'usage' });
  });

  test('--licenses prints our own licence and the licences of the packages inside', async () => {
    const { out } = await type({ licenses: true }, {});
    expect(out).toMatch(/^MIT License\n[\s\S]*\n=+\n[\s\S]*commander \d/);
  });
});
