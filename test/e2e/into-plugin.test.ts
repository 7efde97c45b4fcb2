import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { embeddedWorkshop, hostedWorkshop } from '../support/program/batches.ts';

const NPCS = `# at the gate, do not move
npcs:
  a1:
    name: '&601'   # the first
    type: PLAYER
    skin: {}
  b2:
    name: '02'
    type: COW
  c3:
    name: "03"
    type: PLAYER
    lines: &shared
    - a
`;

/** `during`: called while skins are made. */
async function server(during: (path: (file: string) => string) => void = () => {}) {
  const serviceTime = () => {
    during((file) => shop.path(file));
    return 10;
  };
  const { shop, service } = await hostedWorkshop({ serviceTime });
  await shop.drawMany('skins', 4);
  await shop.write('plugins/FancyNpcs/npcs.yml', NPCS);
  const into = (...more: string[]) => shop.run('generate', 'skins', '--into', 'plugins/FancyNpcs', ...more);
  return { shop, service, into };
}

describe('Skins are put into a plugin', () => {
  test('for its NPCs of the same names, and everything else stays byte by byte', async () => {
    const { shop, service, into } = await server();
    const { exitCode, stdout, stderr } = await into();
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Put 2 skins into plugins/FancyNpcs/npcs.yml and 2 new files (2 NPCs). ');
    expect(stderr).toContain('Not put in: 02: its NPC is not a player (cow), so it shows no skin.');
    expect(stderr).toContain('Not put in: 04: FancyNpcs has no NPC of this name.');
    expect(stderr).toContain('To see them, type /fancynpcs reload.');
    const [first, third] = await Promise.all(['01', '03'].map(async (name) => await urlOf(name, shop)));
    const skin = (url: string) => `    skin:\n      identifier: "${url}"\n      variant: AUTO\n`;
    const text = await shop.read('plugins/FancyNpcs/npcs.yml');
    expect(text).toBe(`${NPCS.replace('    skin: {}\n', skin(first!))}${skin(third!)}`);
    const cached = await shop.readJson<{ skinData: Record<string, string>; timeToLive: number }>(
      `plugins/FancyNpcs/.data/skins/${Buffer.from(first!).toString('base64')}.json`,
    );
    expect([cached.skinData['identifier'], cached.skinData['variant'], cached.timeToLive]).toEqual([
      first,
      'AUTO',
      0,
    ]);
    const [copy] = (await shop.files('plugins/FancyNpcs')).filter((file) => file.endsWith('.bak'));
    expect([copy, await shop.read(`plugins/FancyNpcs/${copy}`)]).toEqual([
      expect.stringMatching(/^npcs\.yml\.[0-9a-f]{8}\.bak$/),
      NPCS,
    ]);
    const before = await shop.versions('plugins');
    expect((await into()).stderr).toContain('nothing had to be changed.');
    expect((await into('--frozen', '--json')).stderr).toContain(
      '"into":{"plugin":"FancyNpcs","carried":2,"npcs":2,',
    );
    expect([await shop.versions('plugins'), service.records.accepted.length]).toEqual([before, 4]);
  });

  test('exactly as --dry-run shows, before and after the skins are made', async () => {
    const { shop, into } = await server();
    const early = await into('--dry-run');
    expect(early.stderr).toContain('To be made first, then put in: 01, 02, 03.');
    expect(early.stderr).toContain('Not put in: 04: FancyNpcs has no NPC of this name.');
    await into();
    await shop.write('plugins/FancyNpcs/npcs.yml', NPCS);
    const { stderr } = await into('--dry-run');
    expect(stderr).toMatch(
      /npcs\.yml:\n {2}6 - {5}skin: \{\}\n {2}6 \+ {5}skin:\n {2}7 \+ {7}identifier: "http/,
    );
    expect(stderr).toContain('Would put 2 skins into plugins/FancyNpcs/npcs.yml');
    expect(await shop.read('plugins/FancyNpcs/npcs.yml')).toBe(NPCS);
  });

  test('from another plugin in one command, without making new ones', async () => {
    const shop = await embeddedWorkshop();
    await shop.drawMany('skins', 4);
    await shop.write('plugins/FancyNpcs/npcs.yml', NPCS);
    await shop.run('generate', 'skins', '--into', 'plugins/FancyNpcs');
    await shop.write(
      'plugins/Citizens/saves.yml',
      "npc:\n  '7':\n    name: '03'\n    traitnames: spawned\n    metadata: {}\n",
    );
    const moved = await shop.run('generate', 'plugins/FancyNpcs/npcs.yml', '--into', 'plugins/Citizens');
    expect(moved.stderr).toContain('2 sources: 2 given as skin data.');
    expect(moved.stderr).toContain('Put 1 skin into plugins/Citizens/saves.yml (1 NPC).');
    expect(moved.stderr).toContain('Not put in: 01: Citizens has no NPC of this name.');
    const text = await shop.read('plugins/Citizens/saves.yml');
    const key = /skinName: (\S+)/.exec(text)?.[1];
    expect(text).toMatch(
      new RegExp(
        `^npc:\\n  '7':\\n    name: '03'\\n    traitnames: "spawned,skintrait"\\n    metadata:\\n      cached-skin-uuid-name: ${key}\\n` +
          `    traits:\\n      skintrait:\\n        skinName: ${key}\\n        textureRaw: ey\\S+\\n        signature: \\S+\\n        updateSkins: false\\n$`,
      ),
    );
    const verified = await shop.run('verify', 'plugins/Citizens/saves.yml');
    expect(verified.stdout).toContain('03\tgood\tgood');
  });

  test.each([
    [['--into', 'plugins'], 'no_such_plugin', 'Name the folder of FancyNpcs, Citizens,'],
    [['--into', 'nowhere'], 'no_such_plugin', 'There is no folder nowhere.'],
    [['--into', 'plugins/FancyNpcs', '--out', 'x'], 'which_output', 'cannot be combined with --out'],
    [['--into', 'plugins/FancyNpcs', '--format', 'json'], 'which_output', 'with --format'],
    [['--into', 'plugins/TAB'], 'plugin_unusable', 'skincache.yml is not valid YAML: line 2'],
    [['--into', 'plugins/Citizens'], 'plugin_unusable', 'saves.yml is not there'],
  ])('not with incompatible options: %j', async (args, code, text) => {
    const { shop, service } = await server();
    await shop.write('plugins/TAB/skincache.yml', 'players:\n\ta: b\n');
    await shop.write('plugins/Citizens/config.yml', '');
    const { exitCode, stderr } = await shop.run('--json', 'generate', 'skins', ...args);
    expect([exitCode === 0, stderr]).toEqual([false, expect.stringContaining(`"code":"${code}"`)]);
    expect([stderr, service.records.accepted]).toEqual([expect.stringContaining(text), []]);
  });

  test('without overwriting what the server wrote meanwhile, and without paying for the skins again', async () => {
    const changed = `${NPCS}# saved by the server\n`;
    const { shop, service, into } = await server((path) =>
      writeFileSync(path('plugins/FancyNpcs/npcs.yml'), changed),
    );
    const { exitCode, stderr } = await into();
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('npcs.yml changed in the meantime, so it was left as it is.'),
    ]);
    expect(await shop.files('plugins/FancyNpcs')).toEqual(['npcs.yml', 'skins.lock']);
    expect(await shop.read('plugins/FancyNpcs/npcs.yml')).toBe(changed);
    await into();
    expect([await shop.read('plugins/FancyNpcs/npcs.yml'), service.records.accepted.length]).toEqual([
      expect.stringContaining('# saved by the server'),
      4,
    ]);
  });
});

async function urlOf(
  name: string,
  shop: { lock: (file: string) => Promise<{ name?: string; texture: string }[]> },
) {
  const lock = await shop.lock('plugins/FancyNpcs/skins.lock');
  return lock.find((line) => line.name === name)?.texture ?? '';
}
