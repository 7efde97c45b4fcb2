import { closeSync, constants, openSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  embeddedWorkshop,
  firstCells,
  hostedWorkshop,
  lines,
  NOWHERE,
  pixelsOf,
  requestsIn,
  type Workshop,
} from '../support/program/batches.ts';
import { testWhole } from '../support/setup/extent.ts';

interface Result {
  readonly source: string;
  readonly status: string;
  readonly uuid: string;
  readonly value: string;
  readonly texture: { readonly hash: string };
}

const GUILD = { 'skins/b': 2, 'skins/a': 1, 'skins/guild/a': 3, 'skins/guild/old/Z': 4 };

async function guildWorkshop(): Promise<Workshop> {
  const shop = await embeddedWorkshop();
  await shop.draw(GUILD);
  return shop;
}

/** Every skin is made in no time but the first one's. */
async function slowFirst() {
  const serviceTime = ({ input }: { input: { pixels: string } }) =>
    input.pixels === pixelsOf(1) ? 1_500 : 10;
  const { shop, service } = await hostedWorkshop({ serviceTime });
  await shop.drawMany('skins', 4);
  return { shop, service };
}

/** The lines on stdout, of a command that is to print three of four skins before the first one is made. */
async function linesAsDone(...command: string[]) {
  const serviceTime = ({ input }: { input: { pixels: string } }) =>
    input.pixels === pixelsOf(1) ? Number.POSITIVE_INFINITY : 10;
  const { shop, service } = await hostedWorkshop({ serviceTime });
  await shop.drawMany('skins', 4);
  const child = shop.start(command);
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
    if (lines(printed).length === 3) service.release();
  });
  const { stdout, stderr } = await child;
  return { shop, printed: lines(String(stdout)), stderr: String(stderr) };
}

describe('A folder of skins', () => {
  test('is mirrored into the output folder with a sorted lockfile, and nothing goes to stdout', async () => {
    const shop = await guildWorkshop();
    const { exitCode, stdout, stderr } = await shop.run('generate', '-r', 'skins', '--out', 'out');
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^4 sources: 4 made.*\. Written to out\.\nSigned with your own key\. .*\n$/m);
    const outputs = ['a.json', 'b.json', 'guild/a.json', 'guild/old/Z.json'];
    expect(await shop.files('out')).toEqual([...outputs, 'skins.lock']);
    expect((await shop.lock()).map(({ source, pixels }) => [source, pixels])).toEqual([
      ['../skins/a.png', pixelsOf(1)],
      ['../skins/b.png', pixelsOf(2)],
      ['../skins/guild/a.png', pixelsOf(3)],
      ['../skins/guild/old/Z.png', pixelsOf(4)],
    ]);
    const shown = await Promise.all(outputs.map((file) => shop.readJson<Result>(`out/${file}`)));
    expect(shown.map(({ texture }) => texture.hash)).toEqual([1, 2, 3, 4].map(pixelsOf));
  });

  test('is read without its subfolders unless -r is given', async () => {
    const shop = await guildWorkshop();
    const { stdout } = await shop.run('generate', 'skins');
    expect(firstCells(stdout).sort()).toEqual(['skins/a.png', 'skins/b.png']);
  });

  test('causes no request and no write when all its skins are made, with or without a service', async () => {
    const shop = await guildWorkshop();
    const args = ['generate', '-r', 'skins', '--out', 'out', '--verbose'];
    expect(requestsIn((await shop.run(...args)).stderr).filter((r) => r.startsWith('POST'))).toHaveLength(4);
    const before = await shop.versions('out');
    const again = await shop.run(...args);
    expect([again.exitCode, requestsIn(again.stderr)]).toEqual([0, []]);
    expect(again.stderr).toBe('4 sources: up to date.\n');
    await shop.run('generate', '-r', 'skins', '--out', 'out', '--report', 'html=report.html');
    const report = await shop.read('report.html');
    expect(report).toContain('made <b>0</b>');
    expect(report).toContain('already known <b>4</b>');
    expect(report.match(/<li class="card known"/g)).toHaveLength(4);
    const elsewhere = await shop.run(...args, '--keep-signatures', '--base-url', NOWHERE);
    expect([elsewhere.exitCode, requestsIn(elsewhere.stderr)]).toEqual([0, []]);
    expect(await shop.versions('out')).toEqual(before);
  });

  test('is written in further formats from the lockfile, without a request', async () => {
    const shop = await guildWorkshop();
    const args = ['generate', 'skins', '--out', 'out'];
    await shop.run(...args, '--format', 'value,signature');
    expect(await shop.files('out')).toEqual(
      ['a.signature', 'a.value', 'b.signature', 'b.value', 'skins.lock'].sort(),
    );
    const later = await shop.run(
      ...args,
      '--format',
      'property,give',
      '--keep-signatures',
      '--base-url',
      NOWHERE,
    );
    expect([later.exitCode, later.stdout]).toEqual([0, '']);
    const [a] = await shop.lock();
    expect(await shop.read('out/a.value')).toBe(`${a?.value}\n`);
    expect(await shop.readJson('out/a.property.json')).toEqual({
      name: 'textures',
      value: a?.value,
      signature: a?.signature,
    });
    expect(await shop.read('out/b.mcfunction')).toMatch(/^give @p minecraft:player_head\[profile=/);
  });
});

describe('A template', () => {
  test('writes all skins to one file in the order of the sources, or one file for each', async () => {
    const { shop } = await hostedWorkshop();
    await shop.drawMany('skins', 5);
    await shop.write('skins/03.png', 'not a picture');
    await shop.write('npc.yml.tmpl', '{{name|yaml}}:\n  skin: {{value}};{{signature}}\n');
    const all = await shop.run('generate', 'skins', '--out', 'all.yml', '--format', 'template:npc.yml.tmpl');
    expect([all.exitCode, all.stderr]).toEqual([1, expect.stringContaining('Written to all.yml.')]);
    const text = await shop.read('all.yml');
    expect(text.match(/^"\d\d"/gm)).toEqual(['"01"', '"02"', '"04"', '"05"']);
    const each = await shop.run('generate', 'skins', '--out', 'each', '--format', 'template:npc.yml.tmpl');
    expect(each.exitCode).toBe(1);
    const files = ['01.yml', '02.yml', '04.yml', '05.yml'];
    expect(await shop.files('each')).toEqual([...files, 'skins.lock']);
    expect((await Promise.all(files.map((file) => shop.read(`each/${file}`)))).join('')).toBe(text);
    await shop.write('all.yml', `${text}mine: true\n`);
    const mine = await shop.run('generate', 'skins', '--out', 'all.yml', '--format', 'template:npc.yml.tmpl');
    expect([mine.exitCode, mine.stderr]).toEqual([1, expect.stringContaining('skinsmith did not write it')]);
  });

  test('keeps a lockfile beside its one file, so that the next run makes only new skins', async () => {
    const { shop, service } = await hostedWorkshop();
    await shop.drawMany('skins', 3);
    const run = (...more: string[]) =>
      shop.run('generate', 'skins', '--out', 'heads.yml', '--format', 'shopguiplus', ...more);
    const first = await run();
    expect([first.exitCode, await shop.files('.')]).toEqual([0, expect.arrayContaining(['heads.yml.lock'])]);
    const text = await shop.read('heads.yml');
    expect(text.match(/^ {4}\d:|name: "0\d"/gm)).toEqual([
      '    1:',
      'name: "01"',
      '    2:',
      'name: "02"',
      '    3:',
      'name: "03"',
    ]);
    expect((await run()).stderr).toContain('3 sources: up to date.');
    await shop.drawMany('skins', 4);
    expect((await run('--frozen')).exitCode).toBe(3);
    await run();
    expect(service.records.accepted).toHaveLength(4);
    const before = await shop.read('heads.yml');
    await shop.write('heads.yml', '');
    expect((await run('--frozen')).exitCode).toBe(0);
    expect([await shop.read('heads.yml'), before.match(/^ {4}\d:/gm)]).toEqual([
      before,
      ['    1:', '    2:', '    3:', '    4:'],
    ]);
  });

  test('that makes no valid document writes nothing, and the skins that were paid for are kept', async () => {
    const { shop, service } = await hostedWorkshop();
    await shop.drawMany('skins/a', 1);
    await shop.draw({ 'skins/b/01': 2 });
    const args = ['generate', '-r', 'skins', '--out', 'skincache.yml', '--format', 'tab'];
    const twice = await shop.run(...args);
    expect([twice.exitCode, twice.stderr]).toEqual([
      1,
      expect.stringContaining('has 01 twice. It was not written.'),
    ]);
    expect(await shop.files('.')).not.toContain('skincache.yml');
    await rename(shop.path('skins/b/01.png'), shop.path('skins/b/02.png'));
    expect((await shop.run(...args)).exitCode).toBe(0);
    expect([await shop.read('skincache.yml'), service.records.accepted.length]).toEqual([
      expect.stringContaining('"02"'),
      2,
    ]);
    await shop.write('bad.json.tmpl', '[\n---8<---\n{{name}}\n---8<---\n]');
    const bad = await shop.run(
      'generate',
      '-r',
      'skins',
      '--out',
      'x.json',
      '--format',
      'template:bad.json.tmpl',
    );
    expect([bad.exitCode, bad.stderr]).toEqual([2, expect.stringContaining('is not valid JSON')]);
    expect(service.records.accepted).toHaveLength(2);
  });

  test('that is invalid stops the command before anything is sent', async () => {
    const { shop, service } = await hostedWorkshop();
    await shop.drawMany('skins', 1);
    const { exitCode, stderr } = await shop.run('generate', 'skins', '--format', 'template:{{valeu}}');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Did you mean value?')]);
    expect(service.records.accepted).toEqual([]);
  });
});

describe('What is printed', () => {
  test('with --json is a list in the order of the sources, whichever is done first', async () => {
    const { shop } = await slowFirst();
    const { exitCode, stdout } = await shop.run('generate', 'skins', '--json');
    const results = JSON.parse(stdout) as Result[];
    expect([exitCode, results.map(({ source }) => source)]).toEqual([
      0,
      ['skins/01.png', 'skins/02.png', 'skins/03.png', 'skins/04.png'],
    ]);
    expect(results.every(({ status, value }) => status === 'completed' && value !== '')).toBe(true);
  });

  // Otherwise the next test has rows as they are done.
  testWhole('with --ndjson is a line for each skin as it is done', async () => {
    const { shop, printed } = await linesAsDone('generate', 'skins', '--ndjson', '--out', 'out');
    const results = printed.map((line) => JSON.parse(line) as Result);
    expect(results.map(({ source }) => source).at(-1)).toBe('skins/01.png');
    const uuids = new Map(results.map(({ source, uuid }) => [`../${source}`, uuid]));
    expect(uuids).toEqual(new Map((await shop.lock()).map(({ source, uuid }) => [source, uuid])));
  });

  test('in a pipe is a row for each skin as it is done', async () => {
    const { printed, stderr } = await linesAsDone('generate', 'skins');
    const rows = printed.map((line) => line.split('\t'));
    expect(rows.map(([source, status]) => `${source} ${status}`).sort()).toEqual(
      ['01', '02', '03', '04'].map((name) => `skins/${name}.png completed`),
    );
    expect(rows.map((row) => row.length)).toEqual([8, 8, 8, 8]);
    expect(rows.at(-1)?.[0]).toBe('skins/01.png');
    expect(stderr).toMatch(/^4 sources: 4 made.*\.\nwarning: 4 skins have an unknown signer: .*\n$/m);
  });

  // Otherwise batch/run/run-batch/hand-over has jobs as they are accepted.
  testWhole(
    'by queue is a row for each job as it is accepted, while others wait for their turn',
    async () => {
      const { shop, service } = await hostedWorkshop({ serviceTime: 300 });
      await shop.drawMany('skins', 8);
      const child = shop.start(['queue', 'skins']);
      const acceptedAtFirst = await new Promise<number>((resolve) => {
        child.stdout?.once('data', () => resolve(service.records.accepted.length));
      });
      expect(acceptedAtFirst).toBeLessThan(8); // the first may have ended by the time their rows are read
      const { exitCode, stdout, stderr } = await child;
      expect([exitCode, String(stderr)]).toEqual([0, expect.stringMatching(/^8 sources: 8 submitted/m)]);
      expect(service.records.mostUnfinished).toBeLessThanOrEqual(5);
      const jobs = service.records.accepted.map(({ job }) => job);
      expect(firstCells(String(stdout)).sort()).toEqual(jobs.toSorted());
    },
  );

  test('by queue --wait is the skins', async () => {
    const { shop } = await slowFirst();
    const { exitCode, stdout } = await shop.run('queue', '--wait', 'skins', '--json');
    const results = JSON.parse(stdout) as Result[];
    expect([exitCode, results.map(({ source, status }) => `${source} ${status}`)]).toEqual([
      0,
      ['01', '02', '03', '04'].map((name) => `skins/${name}.png completed`),
    ]);
  });
});

describe('The same picture', () => {
  test('under several names and in other bytes is submitted once, and all get their file', async () => {
    const { shop, service } = await hostedWorkshop();
    await shop.draw({ 'skins/hero': 1, 'skins/copy': 1, 'skins/other': 2 });
    await shop.compressAnew('skins/smaller', 1);
    const { exitCode, stderr } = await shop.run('generate', 'skins', '--out', 'out');
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/^4 sources: 2 made, 2 the same as another/m),
    ]);
    expect(service.records.accepted.map(({ pixels }) => pixels).sort()).toEqual([1, 2].map(pixelsOf).sort());
    const uuids = new Map((await shop.lock()).map(({ source, uuid }) => [source, uuid]));
    expect([...uuids.keys()]).toEqual(['copy', 'hero', 'other', 'smaller'].map((n) => `../skins/${n}.png`));
    expect(new Set(uuids.values()).size).toBe(2);
    for (const name of ['copy', 'hero', 'smaller'])
      expect((await shop.readJson<Result>(`out/${name}.json`)).uuid).toBe(uuids.get('../skins/hero.png'));
  });

  test('under a new name is not made again, and another picture under the old name is', async () => {
    const { shop, service } = await hostedWorkshop();
    await shop.draw({ 'skins/hero': 1, 'skins/villain': 2 });
    await shop.run('generate', 'skins', '--out', 'out');
    const before = await shop.lock();
    await rename(shop.path('skins/hero.png'), shop.path('skins/old-hero.png'));
    await shop.draw({ 'skins/villain': 3 });
    const { exitCode, stderr } = await shop.run('generate', 'skins', '--out', 'out');
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^2 sources: 1 made, 1 unchanged/m)]);
    expect(service.records.accepted.map(({ pixels }) => pixels)[2]).toBe(pixelsOf(3));
    expect(service.records.accepted).toHaveLength(3);
    const after = new Map((await shop.lock()).map((line) => [line.source, line]));
    expect(after.get('../skins/old-hero.png')).toEqual({
      ...before[0],
      source: '../skins/old-hero.png',
      name: 'old-hero',
      record: { outputs: [{ name: 'old-hero', files: ['old-hero.json'] }] },
    });
    expect(after.get('../skins/villain.png')?.pixels).toBe(pixelsOf(3));
    expect((await shop.readJson<Result>('out/old-hero.json')).uuid).toBe(before[0]?.uuid);
  });
});

describe('Sources that cannot be used', () => {
  test('do not stop the others, and are counted in reports', async () => {
    const shop = await embeddedWorkshop();
    await shop.drawMany('skins', 3);
    await shop.write('skins/broken.png', 'This is no picture.');
    const args = ['generate', 'skins', '--out', 'out', '--report', 'junit=r/report.xml'];
    const { exitCode, stderr } = await shop.run(...args, '--report', 'html=r/report.html');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('4 sources: 3 made, 1 failed')]);
    expect(stderr).toMatch(/^error: skins\/broken\.png: .*\nhint: /m);
    expect(await shop.files('out')).toEqual(['01.json', '02.json', '03.json', 'skins.lock']);
    const junit = await shop.read('r/report.xml');
    expect(junit).toContain('<testsuites tests="4" failures="1" errors="0" skipped="0"');
    expect(junit.match(/<testcase /g)).toHaveLength(4);
    expect(junit).toMatch(/name="skins\/broken\.png"[^>]*>\s*<failure message="[^"]+" type="invalid_image">/);
    const html = await shop.read('r/report.html');
    for (const name of ['01', '02', '03', 'broken']) expect(html).toContain(`skins/${name}.png`);
    expect((await shop.files('r')).sort()).toEqual(['report.html', 'report.xml']);
  });

  test('are never opened if they are pipes, even for a report', async () => {
    const shop = await embeddedWorkshop();
    await shop.drawMany('skins', 1);
    const pipe = shop.path('skins/pipe.png');
    await execa('mkfifo', [pipe]);
    // Whoever waits for a writer goes on.
    onTestFinished(() => closeSync(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)));
    const { exitCode, stderr } = await shop.run('generate', 'skins', '--report', 'html=report.html');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('2 sources: 1 made, 1 failed')]);
    expect(await shop.read('report.html')).toContain('skins/pipe.png is not a regular file.');
  });

  test('are tried again after they were fixed, and no others', async () => {
    const { shop, service } = await hostedWorkshop();
    await shop.drawMany('skins', 2);
    await shop.write('skins/broken.png', 'This is no picture.');
    expect((await shop.run('generate', 'skins', '--out', 'out')).exitCode).toBe(1);
    await shop.draw({ 'skins/broken': 9 });
    expect((await shop.run('generate', 'skins', '--out', 'out')).exitCode).toBe(0);
    expect(service.records.accepted.map(({ pixels }) => pixels).slice(2)).toEqual([pixelsOf(9)]);
  });
});
