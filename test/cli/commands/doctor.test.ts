import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { doctor, runDoctor } from '../../../src/cli/commands/doctor.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { CHECK_NAMES, type CheckName } from '../../../src/cli/doctor/check.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { runServer } from '../../support/server/running-server.ts';
import { webServer } from '../../support/server/web-server.ts';

describeParsing('doctor', doctor, { taken: [[[]]], refused: [[['x'], /too many arguments/]] });

interface View {
  readonly check: CheckName;
  readonly result: string;
  readonly detail: string;
  readonly hint?: string;
}

/** Soon over: nothing here is far away. */
const lookAround = (context: CommandContext) => runDoctor(context, { connect: 2_000, all: 4_000 });

/** Its JSON by check, its status, and the checks that found problems. */
async function examined(options: Parameters<typeof runCommand>[1]) {
  const { out, status } = await runCommand(lookAround, {
    ...options,
    flags: { json: true, ...options.flags },
  });
  const views = JSON.parse(out) as View[];
  expect(views.map(({ check }) => check)).toEqual(CHECK_NAMES);
  const of = (result: string) => views.filter((view) => view.result === result).map(({ check }) => check);
  return {
    status,
    out,
    problems: of('problem'),
    warnings: of('warning'),
    skipped: of('skipped'),
    found: Object.fromEntries(views.map((view) => [view.check, view])) as Record<CheckName, View>,
  };
}

describe('skinsmith doctor', () => {
  test('finds no problem on a new machine, but warns that nobody serves its textures', async () => {
    const { status, problems, warnings, skipped, found } = await examined({});
    expect({ status, problems, warnings, skipped }).toEqual({
      status: 0,
      problems: [],
      warnings: ['textures'],
      skipped: [],
    });
    expect(found.signature.detail).toMatch(/the first skin creates it/);
    expect(found.generator.detail).toMatch(/^signing: .*which it creates on first use/);
  });

  test('continues where no settings can be stored', async () => {
    const file = join(await ownFolder(), 'file');
    await writeFile(file, '');
    const { status, warnings, skipped } = await examined({ env: { SKINSMITH_CONFIG_DIR: file } });
    expect({ status, warnings, skipped }).toEqual({
      status: 0,
      warnings: ['config', 'textures'],
      skipped: [],
    });
  });

  test('finds nothing wrong with a service of the caller’s own, and shows no secret', async () => {
    const { url, key = '' } = await runServer();
    const { status, problems, warnings, found, out } = await examined({ url, key });
    expect({ status, problems, warnings }).toEqual({ status: 0, problems: [], warnings: [] });
    expect(found.store.detail).toMatch(
      /schema of the store is version (\d+) of \1\. The integrity check of the store \([\d.]+ MiB\) found no errors/,
    );
    expect(found.generator.detail).toMatch(/^signing: The service signs with its own key \([0-9a-f]{64}\)/);
    expect(found.textures.detail).toContain(`start with ${url}, the address of the service`);
    expect(out).not.toContain(key);
    // Fingerprints have five digits in common with a key now and then, and so have counts.
    expect(out.replaceAll(/[0-9a-f]{64}|\d{5,}/g, '')).not.toContain(key.slice(-5));
  });

  test('names the problem of a generator that stops the service', async () => {
    const { url, key = '' } = await runServer({ generator: 'accounts' });
    const { status, problems, found } = await examined({ url, key });
    expect([status, problems]).toEqual([1, ['answer', 'generator']]);
    expect(found.answer.detail).toContain('generator_not_ready');
    expect(found.generator.detail).toMatch(/^accounts: .*No game accounts linked/);
    expect(found.store.result).toBe('ok');
  });

  test("sends another operator's service only requests that users may make", async () => {
    const { url, owner } = await runServer();
    const made = await owner.json('/v2/account/keys', { user: 'bob' });
    const { status, skipped, problems } = await examined({ url, key: String(made.body.key?.secret) });
    expect({ status, skipped, problems }).toEqual({
      status: 0,
      skipped: ['textures', 'store', 'generator', 'sign-in'],
      problems: [],
    });
  });

  test('distinguishes a wrong key, a revoked key, a key for another service and an unreachable service', async () => {
    const { url, owner } = await runServer();
    const wrong = await examined({ url, key: 'x'.repeat(64) });
    expect({ status: wrong.status, problems: wrong.problems }).toEqual({ status: 1, problems: ['key'] });
    expect(wrong.found.key.detail).toMatch(/does not accept the key \(…xxxx/);

    const revoked = (await owner.json('/v2/account/keys', {})).body.key;
    await owner.send('DELETE', `/v2/account/keys/${revoked?.id}`);
    const gone = await examined({ url, key: String(revoked?.secret) });
    expect([gone.status, gone.found.key.hint]).toEqual([
      1,
      expect.stringMatching(/revoked.*skinsmith login/),
    ]);

    const bound = await owner.json('/v2/account/keys', { allowedIps: ['203.0.113.7'] });
    const elsewhere = await examined({ url, key: String(bound.body.key?.secret) });
    expect(elsewhere.found.key.detail).toMatch(/not from the address of this machine: Client not allowed/);
    expect(elsewhere.skipped).toEqual(['limits', 'slots', 'textures', 'store', 'generator', 'sign-in']);
  });

  test('continues without a key', async () => {
    const { url } = await runServer();
    const { status, warnings, found } = await examined({ url });
    expect({ status, warnings }).toEqual({ status: 0, warnings: ['key'] });
    expect(found.limits.detail).toMatch(/^Plan anonymous: /);
  });

  test('finds that nothing listens', async () => {
    const { status, problems, found } = await examined({ url: 'http://127.0.0.1:1' });
    expect({ status, problems }).toEqual({ status: 1, problems: ['connection'] });
    expect(found.generator).toMatchObject({
      result: 'skipped',
      detail: 'Skipped: see the check of the key.',
    });
  });

  test('does not hang at a service that never answers', async () => {
    const { url } = await webServer(() => {});
    const run = (context: CommandContext) => runDoctor(context, { connect: 300, all: 600 });
    const { status, out } = await runCommand(run, { url });
    expect([status, out]).toEqual([
      1,
      expect.stringMatching(/connection\tproblem\t.*did not answer \(not in time\)/),
    ]);
  });

  test('recognizes an answer from a proxy, and a wrong clock', async () => {
    const page = await webServer((_, response) => response.end('<html>Sign in to this network</html>'));
    expect((await examined({ url: page.url })).found.connection.detail).toMatch(
      /an HTML page, which probably comes from a proxy/,
    );

    const { url } = await webServer((_, response) => {
      response.setHeader('Date', new Date(Date.now() - 600_000).toUTCString()).statusCode = 404;
      response.end('{"success": false, "errors": [{"code": "not_found", "message": "Nothing."}]}');
    });
    const { found } = await examined({ url });
    expect(found.clock).toMatchObject({
      result: 'warning',
      detail: expect.stringMatching(/clock is 10 minutes ahead/),
    });
  });

  test('finds an invalid config file, and skips what depends on it', async () => {
    const folder = await ownFolder();
    await writeFile(join(folder, 'config.json'), '{"base-url": https://a.example}');
    const { status, problems, found } = await examined({ env: { SKINSMITH_CONFIG_DIR: folder } });
    expect({ status, problems }).toEqual({ status: 1, problems: ['config'] });
    expect(found.config).toMatchObject({
      detail: `The config file ${folder}/config.json is not JSON.`,
      hint: expect.stringContaining('Correct it or remove it'),
    });
    expect(found.service.result).toBe('skipped');
  });

  test('finds a file where the data folder should be, and why the embedded service does not start', async () => {
    const file = join(await ownFolder(), 'data');
    await writeFile(file, '');
    const { status, problems, found } = await examined({ env: { SKINSMITH_DATA_DIR: file } });
    expect({ status, problems }).toEqual({ status: 1, problems: ['data', 'connection'] });
    expect(found.connection.detail).toContain(file);
  });

  test('finds a store that is damaged', async () => {
    const folder = await ownFolder();
    await writeFile(
      join(folder, 'skinsmith.db'),
      'no database at all, but longer than its head would have to be',
    );
    const { status, problems, found } = await examined({ env: { SKINSMITH_DATA_DIR: folder } });
    expect({ status, problems }).toEqual({ status: 1, problems: ['connection'] });
    expect(found.connection.hint).toContain('damaged');
  });

  test('draws a list on a terminal, with the hints below', async () => {
    const { out, err } = await runCommand(lookAround, { isTTY: true, url: 'http://127.0.0.1:1' });
    expect(out).toMatch(/^✔ program {5}skinsmith /m);
    expect(out).toMatch(
      /^✖ connection {2}Nothing listens at 127\.0\.0\.1:1\.\n {14}hint: Is the service running\?$/m,
    );
    expect(out).toMatch(/^- key {9}Skipped: see the check of the connection/m);
    expect(err).toContain('Problems: 1, warnings: 0.');
  });

  test('prints rows into a pipe: check, result, detail, hint', async () => {
    const { out } = await runCommand(lookAround, { url: 'http://127.0.0.1:1' });
    const rows = out
      .slice(0, -1)
      .split('\n')
      .map((row) => row.split('\t'));
    expect(rows.map(([check]) => check)).toEqual(CHECK_NAMES);
    expect(rows[5]).toEqual([
      'connection',
      'problem',
      'Nothing listens at 127.0.0.1:1.',
      'Is the service running?',
    ]);
    expect(rows.every(({ length }) => length === 4)).toBe(true);
  });
});
