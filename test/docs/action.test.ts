import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { runAction } from '../support/docs/workflow.ts';
import { hostedWorkshop, type Workshop } from '../support/program/batches.ts';
import { ROOT } from '../support/program/call-program.ts';
import { writeForShells } from '../support/program/called-by-shells.ts';
import { Repository } from '../support/program/repository.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { sampled } from '../support/setup/extent.ts';

const ACTION = await readFile(join(ROOT, 'action.yml'), 'utf8');

/** The installer of an action's checkout that finds the release. */
const INSTALLS = `[ "$1 $3 $4" = "--prefix --version 7.8.9" ] || exit 9
mkdir -p "$2/bin" && cp "$(dirname "$0")/wrapper" "$2/bin/skinsmith"`;

/** Runs the action for the files of a workshop, in a git repository. */
async function act(
  shop: Workshop,
  inputs: Readonly<Record<string, string>>,
  installer = INSTALLS,
  { cwd = shop.folder, folder, gh }: { cwd?: string; folder?: string; gh?: string } = {},
) {
  const action = folder === undefined ? await ownFolder() : await mkdtemp(join(folder, 'run-'));
  await mkdir(join(action, 'deploy'));
  await writeFile(join(action, 'package.json'), '{\n  "name": "skinsmith",\n  "version": "7.8.9",\n}\n');
  await writeForShells(join(action, 'deploy/wrapper'));
  await writeFile(join(action, 'deploy/install.sh'), installer);
  const bin = join(action, 'bin');
  await mkdir(bin);
  const npm = `#!/bin/sh\n[ "$*" = "ci --no-audit --no-fund" ] || exit 9\nmkdir -p node_modules/.bin
printf '#!/bin/sh\\nshift; exec "${join(action, 'deploy/wrapper')}" "$@"\\n' >node_modules/.bin/node; chmod +x node_modules/.bin/node\n`;
  await writeFile(join(bin, 'npm'), npm, { mode: 0o755 });
  if (gh !== undefined) await writeFile(join(bin, 'gh'), gh, { mode: 0o755 });
  await execa('git', ['init', '--quiet'], { cwd });
  const { machine } = shop;
  const env = {
    ...machine.env,
    PATH: `${bin}:${machine.env['PATH']}`,
    RUNNER_TEMP: action,
    GITHUB_REF_NAME: 'main',
    GITHUB_ACTIONS: 'true',
  };
  return await runAction(ACTION, inputs, { action, cwd, env });
}

test('The action makes skins as its inputs say, a part of them in each run, and has outputs for the steps after it', async () => {
  const { shop, service } = await hostedWorkshop({ serviceTime: 5 });
  await shop.drawMany('skins/with space', 3);
  await shop.drawMany('more', 1, 50);
  const inputs = {
    sources: 'skins\nmore\n',
    service: service.url,
    key: service.key,
    formats: 'json,value',
    'max-new': '3',
    report: 'html=skins.html\njunit=skins.xml\n',
  };
  const first = await act(shop, inputs);
  expect(first).toMatchObject({ status: 0, outputs: { made: '3', left: '1', changed: 'true' } });
  expect(await shop.files('signed')).toContain('skins.lock');
  expect(await shop.read('skins.xml')).toContain('<testsuite');
  await execa('git', ['add', '.'], { cwd: shop.folder });
  await execa('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-qm', 'x'], {
    cwd: shop.folder,
  });
  expect((await act(shop, inputs)).outputs).toMatchObject({ made: '1', left: '0', changed: 'true' });
  expect(first.output).not.toContain(service.key);
});

test('The action fails with frozen where a skin is missing, passes with allow-new, and uses neither service nor key', async () => {
  const { shop, service } = await hostedWorkshop();
  await shop.drawMany('skins', 2);
  const inputs = { sources: 'skins', service: service.url, key: service.key };
  await shop.run('generate', 'skins', '--out', 'signed', '--max-new', '1');
  const { accepted } = service.records;
  const strict = await act(shop, { ...inputs, frozen: 'true' });
  expect(strict).toMatchObject({ status: 3, outputs: { made: '0', left: '1' } });
  const lenient = await act(shop, { ...inputs, frozen: 'allow-new' });
  expect(lenient).toMatchObject({ status: 0, outputs: { made: '0', left: '1' } });
  expect(accepted).toHaveLength(1);
  const wrong = await act(shop, { ...inputs, frozen: 'yes' });
  expect([wrong.status, wrong.output]).toEqual([2, expect.stringContaining('::error::frozen is true')]);
});

test('The action with pack makes a pack, outputs its SHA-1, and makes no skin data', async () => {
  const { shop, service } = await hostedWorkshop();
  await shop.drawMany('skins/with space', 2);
  const inputs = { sources: 'skins\n', pack: 'packs/server pack.zip' };
  const first = await act(shop, inputs);
  const sha1 = hash('sha1', await readFile(join(shop.folder, inputs.pack)));
  expect(first).toMatchObject({ status: 0, outputs: { made: '', left: '', changed: 'true', sha1 } });
  expect(first.output).toContain(`resource-pack-sha1=${sha1}`);
  await execa('git', ['add', '.'], { cwd: shop.folder });
  await execa('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-qm', 'x'], {
    cwd: shop.folder,
  });
  expect((await act(shop, inputs)).outputs).toMatchObject({ changed: 'false', sha1 });
  await writeFile(join(shop.folder, 'skins/bad.png'), 'no picture');
  const broken = await act(shop, inputs);
  expect([broken.status, broken.outputs['sha1']]).toEqual([1, sha1]);
  expect(await shop.files('.')).not.toContain('signed');
  expect(service.records.accepted).toHaveLength(0);
});

const NOT_BESIDE_PACK = [
  ['service', 'http://127.0.0.1:9'],
  ['key', 'a-key'],
  ['formats', 'json'],
  ['max-new', '1'],
  ['timeout', '5m'],
  ['branch', 'skins'],
  ['frozen', 'allow-new'],
  ['report', 'html=skins.html'],
] as const;

test.each(sampled(NOT_BESIDE_PACK, 4, 2))(
  'The action refuses the input %s beside pack',
  async (name, value) => {
    const { shop } = await hostedWorkshop();
    await shop.drawMany('skins', 1);
    const { status, output } = await act(shop, { sources: 'skins', pack: 'pack.zip', [name]: value });
    expect([status, output]).toEqual([2, expect.stringMatching(new RegExp(`::error::.*: ${name}\\n`))]);
    expect(await shop.files('.')).not.toContain('pack.zip');
  },
);

test('The action with a checksum runs only what the installer has verified', async () => {
  const { shop } = await hostedWorkshop();
  await shop.drawMany('skins', 1);
  const sha256 = 'ab'.repeat(32);
  const asked = `[ "$5 $6" = "--sha256 ${sha256}" ] || exit 9\n`;
  const inputs = { sources: 'skins', pack: 'pack.zip', sha256 };
  expect((await act(shop, inputs, asked + INSTALLS)).status).toBe(0);
  const { status, output } = await act(shop, inputs, 'exit 1');
  expect([status, output]).toEqual([1, expect.stringContaining('::error::skinsmith 7.8.9')]);
  expect(output).not.toContain('built from its source');
});

/** A `gh` that knows one open pull request at most. */
const GH = `#!/bin/sh
echo "$1 $2 $3 $4" >> "$RUNNER_TEMP/../gh.log"
case "$1 $2" in
  'pr list') if [ -e "$RUNNER_TEMP/../open" ]; then echo 1; else echo 0; fi ;;
  'pr create') touch "$RUNNER_TEMP/../open" ;;
esac
`;

test('Where main is protected, the action adds to a branch and to one pull request, and submits nothing twice', async () => {
  const repository = await Repository.make();
  const { service, shop } = repository;
  await shop.drawMany('examples', 5);
  await repository.push();
  await repository.protect();
  const inputs = {
    sources: 'examples',
    service: service.url,
    key: service.key,
    branch: 'skins',
    'max-new': '2',
  };
  const made: unknown[] = [];
  const logs: string[] = [];
  for (let run = 0; run < 4; run++) {
    const { clone } = await repository.runner();
    const folder = join(shop.machine.folder, 'runs');
    await mkdir(folder, { recursive: true });
    const { status, output, outputs } = await act(shop, inputs, INSTALLS, { cwd: clone, folder, gh: GH });
    expect([status, output]).toEqual([0, expect.not.stringContaining(service.key)]);
    made.push([outputs['made'], outputs['left']]);
    logs.push(await readFile(join(folder, 'gh.log'), 'utf8').catch(() => ''));
  }
  expect(made).toEqual([
    ['2', '3'],
    ['2', '1'],
    ['1', '0'],
    ['0', '0'],
  ]);
  expect(logs.at(-1)?.match(/pr create/g)).toHaveLength(1);
  expect([(await repository.lock('skins')).length, repository.paid]).toEqual([5, [5, 0]]);
  expect(await repository.log()).toEqual(['Begin', 'Draw skins']);
  expect(await repository.log('skins')).toEqual(['Begin', 'Draw skins', 'Sign skins']);
});

test('The action drops a deleted picture and moves a renamed one, unless prune is false', async () => {
  const { shop, service } = await hostedWorkshop({ serviceTime: 5 });
  await shop.drawMany('skins', 3);
  const inputs = { sources: 'skins', service: service.url, key: service.key };
  await act(shop, inputs);
  await rm(shop.path('skins/01.png'));
  await rename(shop.path('skins/02.png'), shop.path('skins/guard.png'));
  const kept = await act(shop, { ...inputs, prune: 'false' });
  expect(kept.output).toContain('1 in the lockfile without a source: --prune drops them.');
  expect(kept.output).toContain('Renamed skins/02.png to skins/guard.png in the lockfile');
  expect((await act(shop, inputs)).output).toContain('Dropped skins/01.png from the lockfile');
  expect(await shop.files('signed')).toEqual(['03.json', 'guard.json', 'skins.lock']);
  expect(service.records.accepted).toHaveLength(3);
  expect((await act(shop, { ...inputs, prune: 'yes' })).status).toBe(2);
});

test('Where no release can be installed, the action builds the program from its own checkout', async () => {
  const { shop } = await hostedWorkshop();
  await shop.drawMany('skins', 1);
  const { status, output, outputs } = await act(
    shop,
    { sources: 'skins/01.png' },
    'echo "no such release" >&2; exit 1',
  );
  expect(output).toContain(
    'No release of skinsmith 7.8.9 could be installed, so it is built from its source.',
  );
  expect([status, outputs]).toMatchObject([0, { made: '1', left: '0', changed: 'true' }]);
});

test('The scripts of the action contain no inputs, so that no input is run as code', () => {
  const scripts = ACTION.slice(ACTION.indexOf('\nruns:')).replaceAll(/^ {8}\w+: \$\{\{ \S+ \}\}$/gm, '');
  expect(scripts).not.toContain('${{');
});
