import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { lines } from '../support/program/batches.ts';
import { freshMachine, type Machine, ROOT } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { runServer } from '../support/server/running-server.ts';
import { sampled } from '../support/setup/extent.ts';

const SMITH = 'examples/smith.png';
const FIXTURES = 'test/fixtures/skins';

interface Result {
  readonly value: string;
  readonly signature: string;
  readonly [field: string]: unknown;
}

async function generateJson(machine: Machine, ...args: string[]): Promise<Result> {
  const { stdout } = await machine.run(['generate', SMITH, '--json', ...args]);
  return JSON.parse(stdout) as Result;
}

describe('generate', () => {
  test('prints a skin as JSON, with every promised field', async () => {
    const result = await generateJson(await freshMachine());
    expect(result).toEqual({
      source: SMITH,
      status: 'completed',
      job: expect.stringMatching(/^[0-9a-f-]{36}$/),
      uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'smith',
      variant: 'classic',
      visibility: 'public',
      value: expect.any(String),
      signature: expect.any(String),
      texture: {
        url: expect.stringMatching(/\/textures\/[0-9a-f]{64}$/),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      duplicate: false,
      signer: 'embedded',
      warnings: [],
    });
  });

  test('prints with --out - what it prints without --out, and writes no file', async () => {
    const machine = await freshMachine();
    await machine.run(['generate', SMITH]); // known from here on: the same answer each time
    const work = join(machine.folder, 'work');
    await mkdir(work);
    const run = async (...args: string[]) => {
      const { exitCode, stdout } = await machine.run(['generate', join(ROOT, SMITH), ...args], { cwd: work });
      expect([exitCode, await readdir(work)]).toEqual([0, []]);
      return stdout.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'JOB');
    };
    for (const more of [[], ['--json'], ['--format', 'value'], ['--ndjson']]) {
      const plain = await run(...more);
      expect(plain.length).toBeGreaterThan(20);
      expect(await run('--out', '-', ...more)).toBe(plain);
    }
  });

  test('says which file it wrote', async () => {
    const machine = await freshMachine();
    const file = join(machine.folder, 'smith.json');
    const { exitCode, stdout, stderr } = await machine.run(['generate', SMITH, '--out', file]);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`Wrote ${file}.\n`);
  });

  const OVER_SOURCES = [
    ['generate', 'sm.png', '--out', './sm.png'],
    ['generate', 'sm.png', '--lock', 'skins.lock', '--report', 'html=sm.png'],
    ['generate', '.', '--report', 'html=sm.png', '--out', 'out'],
    ['render', 'sm.png', '--out', 'link.png'],
    ['render', 'other.png', '--view', 'back', '--cape', 'sm.png', '--out', 'sm.png'],
    ['preview', 'sm.png', '--out', 'sm.png'],
  ];

  // cli/output/output-guard/source-files recognizes them.
  test.each(sampled(OVER_SOURCES, 3))(
    'never overwrites a source: skinsmith %s %s %s %s',
    async (...words) => {
      const machine = await freshMachine();
      const cwd = join(machine.folder, 'work');
      await mkdir(cwd);
      await writeFile(join(cwd, 'sm.png'), skinPng(1));
      await symlink('sm.png', join(cwd, 'link.png'));
      const { exitCode, stderr } = await machine.run(words, { cwd });
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^error: \S+ is a source, which the output would replace\.\nhint: /);
      expect(await readFile(join(cwd, 'sm.png'))).toEqual(Buffer.from(skinPng(1)));
    },
  );

  test('prints a tab-separated row in a pipe, makes the same skin again, and says only whose key signs', async () => {
    const machine = await freshMachine();
    const first = await machine.run(['generate', SMITH]);
    expect(first.exitCode).toBe(0);
    // A slow machine also reports progress.
    const told = lines(first.stderr).filter((line) => !line.startsWith('Generating '));
    expect(told).toEqual([expect.stringMatching(/^Signed with your own key\. /)]);
    const cells = first.stdout.trimEnd().split('\t');
    expect(cells.slice(0, 3)).toEqual([SMITH, 'completed', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const again = await generateJson(machine);
    expect(again).toMatchObject({
      uuid: cells[3],
      variant: cells[4],
      value: cells[5],
      signature: cells[6],
      duplicate: true,
    });
    expect(again['texture']).toMatchObject({ url: cells[7] });
  });

  test('prints each format', async () => {
    const machine = await freshMachine();
    const { value, signature, ...rest } = await generateJson(machine);
    const printed = async (format: string) =>
      (await machine.run(['generate', SMITH, '--format', format])).stdout;
    expect(await printed('value')).toBe(`${value}\n`);
    expect(await printed('signature')).toBe(`${signature}\n`);
    expect(JSON.parse(await printed('property'))).toEqual({ name: 'textures', value, signature });
    expect(JSON.parse(await printed('json'))).toEqual({
      ...rest,
      value,
      signature,
      duplicate: true,
      job: expect.any(String), // answered at once, under a job of its own
    });
  });

  test('signs so that openssl verifies it with the key of the service', async () => {
    const machine = await freshMachine();
    const { stdout } = await machine.run(['generate', SMITH, '--format', 'property']);
    const { value, signature } = JSON.parse(stdout) as Result;
    const { owner } = await runServer({ dataDir: machine.dataDir });
    const { signaturePublickey } = (await owner.get('/')).body;
    const file = (name: string) => join(machine.folder, name);
    await writeFile(file('key.pem'), String(signaturePublickey));
    await writeFile(file('signature'), Buffer.from(signature, 'base64'));
    const verify = async (text: string) => {
      await writeFile(file('value'), text);
      const args = [
        'dgst',
        '-sha1',
        '-verify',
        file('key.pem'),
        '-signature',
        file('signature'),
        file('value'),
      ];
      return (await execa('openssl', args, { reject: false })).exitCode;
    };
    expect([await verify(value), await verify(`${value}=`)]).toEqual([0, 1]);
  });

  test.each([
    ['my-skin.png', 64],
    ['haka.png', 64],
    ['hacksore.png', 32],
  ])('takes %s', async (name) => {
    const machine = await freshMachine();
    const { exitCode, stdout } = await machine.run(['generate', join(FIXTURES, name), '--json']);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      0,
      { status: 'completed', value: expect.any(String) },
    ]);
  });

  test('refuses an HD skin and says what to do', async () => {
    const machine = await freshMachine();
    const { exitCode, stdout, stderr } = await machine.run(['generate', join(FIXTURES, 'hd-header.bin')]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/error: .*512×256/);
    expect(stderr).toMatch(/hint: Scale it down to 64×32/);
    expect(stdout.split('\t')[1]).toBe('failed');
  });

  test('continues after a bad source, and its status says that one failed', async () => {
    const machine = await freshMachine();
    const bad = join(machine.folder, 'bad.png');
    await writeFile(bad, 'no picture');
    const { exitCode, stdout, stderr } = await machine.run(['generate', bad, SMITH, '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { source: bad, status: 'failed', error: { code: 'invalid_image' } },
      { source: SMITH, status: 'completed' },
    ]);
    const [error, end] = lines(stderr)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as object);
    expect(error).toMatchObject({ error: { code: 'invalid_image' } });
    expect(end).toMatchObject({ summary: { end: 'complete', sources: 2, made: 1, failed: 1, left: 0 } });
  });

  test('reads a PNG from stdin', async () => {
    const machine = await freshMachine();
    const { exitCode, stdout } = await machine.run(['generate', '-', '--json', '--name', 'piped'], {
      input: skinPng(1),
    });
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { source: '-', name: 'piped' }]);
  });
});
