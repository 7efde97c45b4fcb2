import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runGame } from '../support/fake-game/run-game.ts';
import type { HostedService } from '../support/hosted/hosted-service.ts';
import {
  embeddedWorkshop,
  hostedWorkshop,
  lines,
  NOWHERE,
  pixelsOf,
  type Workshop,
} from '../support/program/batches.ts';
import { testWhole } from '../support/setup/extent.ts';

const MAKE = ['generate', '-r', 'skins', '--out', 'out'];
const NOTICE = /Players with an unmodified Minecraft will not see/g;

/** The game's key: another than that of this machine. */
const gameKeyPath = join(import.meta.dirname, '../fixtures/four-primes.pem');

/** Three skins, a game, and a service whose skins that game signs; commands name the service themselves. */
async function prepare() {
  const game = await runGame({ signingKeyPath: gameKeyPath });
  const { service } = await hostedWorkshop({ signingKeyPath: gameKeyPath });
  const shop = await embeddedWorkshop();
  await shop.draw({ 'skins/a': 1, 'skins/b': 2, 'skins/c': 3 });
  const env = { SKINSMITH_GAME_ADDRESSES: JSON.stringify(game.addresses), SKINSMITH_API_KEY: service.key };
  const run = async (...args: string[]) => await shop.runIn(env, ...args);
  return { shop, service, run, hosted: ['--base-url', service.url] };
}

async function signersIn(shop: Workshop): Promise<unknown[]> {
  return (await shop.lock()).map((line) => (line as { signer?: string }).signer);
}

const submitted = ({ records }: HostedService) => records.accepted.length;

// Otherwise textures/signing-key makes one, and cli/batch/output says so.
testWhole(
  'On a machine without a signing key, the first skin is recognized as signed by the new key',
  async () => {
    const shop = await embeddedWorkshop();
    await rm(join(shop.machine.dataDir, 'signing-key.pem'));
    await shop.draw({ 'skins/a': 1 });
    const { exitCode, stdout, stderr } = await shop.run('generate', 'skins/a.png', '--json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { signer: 'embedded', warnings: [] }]);
    expect(stderr).toMatch(NOTICE);
  },
);

test('queue says who will see skins signed by this machine, but not for skins that a service signs', async () => {
  const { run, hosted } = await prepare();
  const own = await run('queue', '-r', 'skins');
  expect([own.exitCode, own.stderr.match(NOTICE)]).toEqual([0, [expect.any(String)]]);
  const others = await run('queue', '-r', 'skins', ...hosted);
  expect([others.exitCode, others.stderr.match(NOTICE)]).toEqual([0, null]);
});

test('When a service is set, only skins that this machine signed are made again', async () => {
  const { shop, service, run, hosted } = await prepare();

  // The first try, with nothing configured; in a pipe, so that whoever reads the log knows.
  const first = await run(...MAKE);
  expect([first.exitCode, first.stderr.match(NOTICE)]).toEqual([0, [expect.any(String)]]);
  expect(await signersIn(shop)).toEqual(['embedded', 'embedded', 'embedded']);
  expect((await run('verify', 'out/skins.lock')).stderr).toContain(
    '3 skins: 3 whose texture was not checked. Signed by this machine: 3.\n',
  );
  const refused = await run(...MAKE, '--frozen', '--require-signer', 'game');
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining('skins/a.png is not signed by Mojang.'),
  ]);

  // Real use: the same command, for the service.
  const saying = `3 signed by this machine, not by ${service.url}: will be made again\n`;
  const plan = await run(...MAKE, ...hosted, '--dry-run', '--json');
  expect([plan.exitCode, JSON.parse(plan.stdout), plan.stderr]).toMatchObject([
    3,
    { sources: 3, outdated: 3, known: 0, new: 0, changed: 0 },
    expect.stringContaining(saying),
  ]);
  const kept = await run(...MAKE, ...hosted, '--keep-signatures');
  expect([kept.exitCode, kept.stderr, submitted(service)]).toEqual([
    0,
    expect.not.stringContaining('made again'),
    0,
  ]);
  const real = await run(...MAKE, ...hosted);
  expect([real.exitCode, real.stderr, submitted(service)]).toEqual([0, expect.stringContaining(saying), 3]);
  expect(real.stderr).not.toMatch(NOTICE);
  expect(await signersIn(shop)).toEqual(['game', 'game', 'game']);
  expect((await run('verify', 'out/skins.lock', '--require-signer', 'game')).stderr).toBe(
    '3 skins: nothing wrong. Signed by Mojang: 3.\n',
  );

  // Whoever forgets the address spoils nothing, and nothing is made twice.
  const before = await shop.versions('out');
  for (const args of [[], hosted]) expect((await run(...MAKE, ...args)).exitCode).toBe(0);
  expect([submitted(service), await shop.versions('out')]).toEqual([3, before]);
  const ci = await run(...MAKE, '--frozen', '--no-local');
  expect([ci.exitCode, ci.stderr]).toEqual([0, expect.stringContaining('Signed by Mojang: 3.')]);
});

test('Two machines leave each other the skins that their embedded services signed', async () => {
  const shop = await embeddedWorkshop();
  await shop.draw({ 'skins/a': 1 });
  await shop.run(...MAKE);
  const colleague = await shop.clone();
  await rm(join(colleague.machine.dataDir, 'signing-key.pem'));
  const before = await colleague.read('out/skins.lock');
  const { exitCode, stderr } = await colleague.run(...MAKE, '--local', '--lock', 'out/skins.lock');
  expect([exitCode, stderr]).toEqual([0, '1 source: up to date.\n']);
  expect(await colleague.read('out/skins.lock')).toBe(before);
  const plan = await colleague.run(...MAKE, '--dry-run');
  expect(plan.stderr).toContain(`1 signed by another machine, not by ${NOWHERE}: will be made again`);
});

describe('The embedded service is not used as a fallback', () => {
  const SKIN = ['generate', 'skins/a.png'];

  test.each([
    ['--no-local', {}, ['--no-local'], 2],
    ['SKINSMITH_NO_LOCAL', { SKINSMITH_NO_LOCAL: '1' }, [], 2],
    ['SKINSMITH_NO_LOCAL, but --local asks for it', { SKINSMITH_NO_LOCAL: '1' }, ['--local'], 0],
    ['SKINSMITH_NO_LOCAL=0, which is none', { SKINSMITH_NO_LOCAL: '0' }, [], 0],
  ])('with %s', async (_, env, args, status) => {
    const shop = await embeddedWorkshop();
    await shop.draw({ 'skins/a': 1 });
    const { exitCode, stderr } = await shop.runIn(env, ...SKIN, ...args);
    expect([exitCode, stderr]).toEqual([
      status,
      status === 0 ? expect.any(String) : expect.stringMatching(/^error: No service is set.*\nhint: Set one/),
    ]);
  });
});

describe('A damaged entry of the lockfile', () => {
  test.each([
    ['generate', []],
    ['--frozen', ['--frozen']],
  ])(
    'is reported by %s before anything is written from it, and does not stop the others',
    async (_, args) => {
      const shop = await embeddedWorkshop();
      await shop.draw({ 'skins/a': 1, 'skins/b': 2 });
      await shop.run(...MAKE);
      const [a = '', b = ''] = lines(await shop.read('out/skins.lock'));
      await shop.write('out/skins.lock', `${a.replace(/"signature":"..../, '"signature":"AAAA')}\n${b}\n`);
      for (const name of ['a', 'b']) await rm(shop.path(`out/${name}.json`));
      const { exitCode, stderr } = await shop.run(...MAKE, ...args);
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringMatching(
          /skins\.lock, line 1: The entry of \.\.\/skins\/a\.png is damaged: .*\nhint: Restore the line/,
        ),
      ]);
      expect(await shop.files('out')).toEqual(['b.json', 'skins.lock']);
    },
  );
});

test('A skin that fails the check is kept, reported with the difference, not paid for again, and accepted on request', async () => {
  const isWrong = (pixels: string) => pixels === pixelsOf(1);
  const { shop, service } = await hostedWorkshop({
    fate: (pixels) => (isWrong(pixels) ? { kind: 'wrong', times: 9 } : undefined),
  });
  await shop.draw({ 'skins/a': 1, 'skins/b': 2 });
  const told =
    /skins\/a\.png: .*another picture: [\d,]+ of 4,096 pixels differs?, at x .*, y .*\nhint: The skin is kept: --accept-unverified/;
  const first = await shop.run(...MAKE);
  expect([first.exitCode, first.stderr]).toEqual([1, expect.stringMatching(told)]);
  expect(submitted(service)).toBe(2);

  const plan = await shop.run(...MAKE, '--dry-run', '--json');
  expect([plan.exitCode, JSON.parse(plan.stdout)]).toMatchObject([0, { unverified: 1, known: 1, new: 0 }]);
  const again = await shop.run(...MAKE);
  expect([again.exitCode, again.stderr]).toEqual([1, expect.stringMatching(told)]);

  const taken = await shop.run(...MAKE, '--accept-unverified', '--ndjson');
  expect([taken.exitCode, submitted(service)]).toEqual([0, 2]);
  const row = lines(taken.stdout).map((line) => JSON.parse(line) as { source: string; warnings: unknown });
  expect(row.find(({ source }) => source === 'skins/a.png')?.warnings).toContainEqual({
    code: 'unverified',
    message: expect.stringContaining('another picture'),
  });
  expect(await shop.lock()).toHaveLength(2);
  expect((await shop.run(...MAKE)).exitCode).toBe(0);
});

test('An unknown signer is reported', async () => {
  const { shop, service } = await hostedWorkshop({ signingKeyPath: gameKeyPath });
  await shop.draw({ 'skins/a': 1, 'skins/b': 2 });
  const { exitCode, stdout, stderr } = await shop.run(...MAKE, '--ndjson');
  expect([exitCode, lines(stdout).map((line) => JSON.parse(line) as unknown)]).toEqual([
    0,
    [1, 2].map(() =>
      expect.objectContaining({
        signer: 'unproved',
        warnings: [expect.objectContaining({ code: 'signature_unproved' })],
      }),
    ),
  ]);
  expect(stderr).toContain('warning: 2 skins have an unknown signer: ');
  const verified = await shop.run('verify', 'out/skins.lock');
  expect(verified.stderr).toBe('2 skins: 2 with an unknown signer (no known key matches).\n');
  expect(lines(verified.stdout)[0]?.split('\t').slice(1, 3)).toEqual(['good', 'unproved']);
  const strict = await shop.run('verify', 'out/skins.lock', '--require-signer', 'game');
  expect(strict.exitCode).toBe(1);
  const known = await shop.run(...MAKE);
  expect([known.stderr, submitted(service)]).toEqual([
    expect.stringContaining('2 skins in the lockfile have an unknown signer; kept.'),
    2,
  ]);
});
