import { writeFile } from 'node:fs/promises';
import { describe, expect, inject, test } from 'vitest';
import { readTextures } from '../../src/dispatch/proof.ts';
import { runGame } from '../support/fake-game/run-game.ts';
import {
  embeddedWorkshop,
  hostedWorkshop,
  type LockLine,
  lines,
  type Workshop,
} from '../support/program/batches.ts';
import type { Ran } from '../support/program/program.ts';
import { drawSkin } from '../support/server/drawn-skins.ts';
import { runServer, WITH_KEY_FILE } from '../support/server/running-server.ts';
import { sampled } from '../support/setup/extent.ts';

interface World {
  readonly shop: Workshop;
  /** Jobs that the service has taken. */
  readonly jobs: () => Promise<number>;
  /** Runs a command that knows service and game. */
  readonly run: (...args: string[]) => Promise<Ran>;
  /** Adds a player to the game. */
  readonly player: (name: string, skin: number) => string;
}

/** The hosted service: what it makes, the game signs. */
async function hosted(): Promise<World> {
  const game = await runGame({ signingKeyPath: inject('signingKeyPath') });
  const { shop, service } = await hostedWorkshop({ serviceTime: 0 });
  const env = { SKINSMITH_BASE_URL: service.url, SKINSMITH_API_KEY: service.key };
  return worldOf(shop, game, { env, jobs: async () => service.records.accepted.length });
}

/** A service of ours, which signs with its own key. */
async function ours(): Promise<World> {
  const game = await runGame();
  const { url, key, owner } = await runServer({ ...WITH_KEY_FILE, gameAddresses: game.addresses });
  const env = { SKINSMITH_BASE_URL: url, SKINSMITH_API_KEY: String(key) };
  const jobs = async () => (await owner.get('/v2/queue')).body.jobs?.length ?? 0;
  return worldOf(await embeddedWorkshop(), game, { env, jobs });
}

function worldOf(
  shop: Workshop,
  game: Awaited<ReturnType<typeof runGame>>,
  { env, jobs }: { env: Record<string, string>; jobs: World['jobs'] },
): World {
  const all = { ...env, SKINSMITH_GAME_ADDRESSES: JSON.stringify(game.addresses) };
  const run: World['run'] = async (...args) => await shop.runIn(all, ...args);
  const player: World['player'] = (name, skin) =>
    game.addPlayer({ name, skin: { picture: drawSkin(skin), variant: 'classic' } }).id;
  return { shop, jobs, run, player };
}

/** Three skins that the service has made, as the lockfile in `made` has them. */
async function withSkins(world: World): Promise<LockLine[]> {
  await world.shop.drawMany('skins', 3);
  const made = await world.run('generate', 'skins', '--out', 'made');
  expect([made.exitCode, await world.jobs()]).toEqual([0, 3]);
  return await world.shop.lock('made/skins.lock');
}

/** Skins of the hosted service also move from one plugin to another below. */
const WORLDS = [
  ['a service of ours', ours],
  ['the hosted service', hosted],
] as const;

describe.each(sampled(WORLDS, 2))('Skin data that %s has signed', (_, worldFor) => {
  test('is used as the result in whatever form it is given, without a new generation', async () => {
    const world = await worldFor();
    const [skin] = await withSkins(world);
    const { uuid, value, signature } = skin!;
    const sources = [
      `${value} ${signature}`,
      JSON.stringify({ name: 'textures', value, signature }),
      JSON.stringify(skin),
      uuid,
      'made/01.json',
      'a.customskin',
    ];
    const custom = { skinName: 'a', value, signature, dataVersion: 1 };
    await writeFile(world.shop.path('a.customskin'), `\uFEFF${JSON.stringify(custom)}`);
    for (const source of sampled(sources, 3)) {
      const { exitCode, stdout, stderr } = await world.run('generate', source, '--json');
      expect([exitCode, stderr, JSON.parse(stdout)]).toMatchObject([
        0,
        expect.not.stringContaining('warning'),
        { value, signature, warnings: [] },
      ]);
      const shown = await world.run('preview', source);
      expect([shown.exitCode, shown.stdout]).toEqual([0, expect.stringMatching(/\tclassic\t64\t64\n$/)]);
    }
    const formats = await world.run('generate', uuid, '--format', 'signature');
    expect(formats.stdout).toBe(`${signature}\n`);
    expect(await world.jobs()).toBe(3);
  });

  test('can be a value from a catalogue of heads, with only the textures and no padding', async () => {
    const world = await worldFor();
    const [skin] = await withSkins(world);
    const { url } = readTextures(skin!.value).skin;
    const textures = { textures: { SKIN: { url } } };
    const value = Buffer.from(JSON.stringify(textures)).toString('base64').replace(/=+$/, '');
    const { exitCode, stdout } = await world.run('generate', value, '--json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      0,
      { texture: { url }, warnings: [{ code: 'made_from_texture' }] },
    ]);
  });

  test('is planned as known in a batch, recorded, and not read again', async () => {
    const world = await worldFor();
    const [first, second, third] = await withSkins(world);
    const list = [`${first!.value} ${first!.signature}`, second!.uuid].join('\n');
    await writeFile(world.shop.path('list.txt'), list);
    await writeFile(world.shop.path('third.json'), JSON.stringify(third));
    const command = ['generate', '--from', 'list.txt', 'third.json', '--out', 'out'];

    const plan = await world.run(...command, '--dry-run', '--json');
    expect([plan.exitCode, JSON.parse(plan.stdout)]).toMatchObject([0, { sources: 3, new: 0, known: 3 }]);
    const ran = await world.run(...command);
    expect([ran.exitCode, ran.stderr]).toEqual([
      0,
      expect.stringMatching(/^3 sources: 3 given as skin data/m),
    ]);
    const locked = await world.shop.lock();
    expect(locked.map(({ source }) => source.split(':')[0])).toEqual(['skin', 'value', 'value']);
    expect(locked.map(({ signature }) => signature).sort()).toEqual(
      [first, second, third].map((one) => one!.signature).sort(),
    );

    const before = await world.shop.versions('out');
    expect((await world.run(...command)).exitCode).toBe(0);
    expect([await world.shop.versions('out'), await world.jobs()]).toEqual([before, 3]);
    expect((await world.run(...command, '--frozen')).exitCode).toBe(0);
    const verified = await world.run('verify', 'out/skins.lock');
    expect([verified.exitCode, verified.stderr]).toEqual([
      0,
      expect.stringContaining('3 skins: nothing wrong.'),
    ]);
  });

  test('can be a line of a lockfile', async () => {
    const world = await worldFor();
    const made = await withSkins(world);
    const ran = await world.run('generate', 'made/skins.lock', '--ndjson');
    const results = lines(ran.stdout).map((line) => JSON.parse(line) as LockLine);
    expect(results.map(({ source, value }) => [source, value])).toEqual(
      made.map(({ source, value }) => [source, value]),
    );
    expect([ran.exitCode, await world.jobs()]).toEqual([0, 3]);
  });

  test('is made again from its texture, with a message, when the signature is missing or wrong', async () => {
    const world = await worldFor();
    const [skin, other] = await withSkins(world);
    const unsigned = await world.run('generate', skin!.value, '--json');
    expect([unsigned.exitCode, JSON.parse(unsigned.stdout)]).toMatchObject([
      0,
      {
        variant: skin!.variant,
        signature: expect.stringMatching(/^.{300}/),
        warnings: [{ code: 'made_from_texture', message: expect.stringContaining('has no signature') }],
      },
    ]);
    const wrong = await world.run('generate', `${skin!.value} ${other!.signature}`, '--json');
    expect([wrong.exitCode, JSON.parse(wrong.stdout)]).toMatchObject([
      0,
      { warnings: [{ code: 'made_from_texture' }], signature: expect.not.stringContaining(other!.signature) },
    ]);
    const slim = await world.run(
      'generate',
      `${skin!.value} ${skin!.signature}`,
      '--variant',
      'slim',
      '--json',
    );
    expect(JSON.parse(slim.stdout)).toMatchObject({
      variant: 'slim',
      warnings: [{ code: 'made_from_texture' }],
    });
  });
});

test('One command moves skins from one plugin to another, verified and without a new generation', async () => {
  const world = await hosted();
  const skins = await withSkins(world);
  const { shop } = world;
  for (const [index, { value, signature }] of skins.entries()) {
    const custom = { skinName: `npc ${index}`, value, signature, dataVersion: 1 };
    await shop.write(`SkinsRestorer/skins/npc ${index}.customskin`, JSON.stringify(custom));
  }
  await shop.write('SkinsRestorer/skins/config.yml', 'a: 1\n');
  const { stdout, stderr, exitCode } = await world.run(
    'generate',
    'SkinsRestorer/skins',
    '--format',
    'citizens',
  );
  const commands = stdout.trimEnd().split('\n');
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('3 sources: 3 given as skin data')]);
  expect(commands.map((line) => line.split(' ').slice(-2).join(' ')).sort()).toEqual(
    skins.map(({ value, signature }) => `${value} ${signature}`).sort(),
  );
  await shop.write('commands.txt', stdout);
  const npcs = commands.map((line, index) => {
    const [value, signature] = line.split(' ').slice(-2);
    const skin = `{textureRaw: ${value}, signature: ${signature}, skinName: a}`;
    return `  '${index}':\n    name: Guard ${index}\n    traits:\n      skintrait: ${skin}\n`;
  });
  await shop.write('saves.yml', `npc:\n${npcs.join('')}`);
  for (const source of ['commands.txt', 'saves.yml', 'SkinsRestorer/skins']) {
    const verified = await world.run('verify', source, '--offline');
    expect([verified.exitCode, verified.stderr]).toEqual([0, expect.stringMatching(/^3 skins: /m)]);
    expect(verified.stdout.match(/\tgood\tgood\t/g)).toHaveLength(3);
    const back = await world.run('generate', source, '--out', 'back', '--format', 'skinsrestorer');
    expect([back.exitCode, back.stderr]).toEqual([
      0,
      expect.stringMatching(/up to date|3 given|in the lockfile/),
    ]);
  }
  expect(await shop.files('back')).toContain('guard 2.customskin');
  expect(await world.jobs()).toBe(3);
});

test('A UUID without a skin at the service is a player, and --player makes that explicit', async () => {
  const world = await ours();
  const [skin] = await withSkins(world);
  const ann = world.player('Ann_B', 9);
  const player = await world.run('generate', ann, '--out', 'out/', '--json');
  expect([player.exitCode, JSON.parse(player.stdout)]).toMatchObject([0, { job: expect.any(String) }]);
  expect((await world.shop.lock()).map(({ source }) => source)).toEqual([`user:${ann}`]);
  const nobody = await world.run('generate', '--player', skin!.uuid, '--json');
  expect([nobody.exitCode, JSON.parse(nobody.stdout).error]).toMatchObject([1, { code: expect.any(String) }]);
});

test('Without settings, skins signed by this machine are known, and made again if necessary', async () => {
  const shop = await embeddedWorkshop();
  await shop.draw({ smith: 1 });
  const { value, signature } = JSON.parse(
    (await shop.run('generate', 'smith.png', '--json')).stdout,
  ) as LockLine;
  const again = await shop.run('generate', `${value} ${signature}`, '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ value, signature, signer: 'embedded', warnings: [] });
  // Its texture is nowhere on the network: only the machine's own service has it.
  const unsigned = await shop.run('generate', value, '--json');
  expect([unsigned.exitCode, JSON.parse(unsigned.stdout).warnings]).toMatchObject([
    0,
    [{ code: 'made_from_texture' }],
  ]);
  expect((await shop.run('preview', value)).stdout).toMatch(/\tclassic\t64\t64\n$/);
});

test('Skin data is checked without a network, and pasted data is verified', async () => {
  const world = await ours();
  const [skin] = await withSkins(world);
  const { value, signature } = skin!;
  const checked = await world.run('check', value, `${value} ${signature}`, '--json');
  expect([checked.exitCode, JSON.parse(checked.stdout)]).toMatchObject([
    0,
    [
      { valid: true, variant: 'classic', warnings: [{ code: 'unsigned' }] },
      { valid: true, warnings: [] },
    ],
  ]);
  const damaged = await world.run('check', value.slice(0, 80), '--json');
  expect([damaged.exitCode, JSON.parse(damaged.stdout).error]).toMatchObject([
    1,
    { code: 'invalid_skin_data' },
  ]);
  const good = await world.run('verify', `${value} ${signature}`);
  expect([good.exitCode, good.stderr]).toEqual([0, expect.stringContaining('1 skin: nothing wrong.')]);
  const head = { textures: { SKIN: { url: `http://textures.minecraft.net/texture/${'a'.repeat(64)}` } } };
  const unsigned = await world.run('verify', Buffer.from(JSON.stringify(head)).toString('base64'));
  expect([unsigned.exitCode, unsigned.stdout]).toEqual([
    1,
    expect.stringContaining(
      'The value has a texture, but no profile: it is meant for a head. ' +
        'It has no signature. Use "generate" to make a signed skin from it.',
    ),
  ]);
  const bad = await world.run('verify', `${value} ${signature.slice(4)}`);
  expect(bad.exitCode).toBe(1);
});

test('Skin data whose texture cannot be fetched anywhere fails with a message', async () => {
  const world = await ours();
  const url = `http://127.0.0.1:1/textures/${'ab'.repeat(32)}`;
  const document = { timestamp: 1, profileId: 'a'.repeat(32), profileName: 'x', textures: { SKIN: { url } } };
  const value = Buffer.from(JSON.stringify(document)).toString('base64');
  const { exitCode, stdout } = await world.run('generate', value, '--json');
  expect([exitCode, JSON.parse(stdout).error]).toMatchObject([1, { code: 'texture_unavailable' }]);
});
