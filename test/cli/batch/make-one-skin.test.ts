import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type GenerateCommandOptions, runGenerate, runQueue } from '../../../src/cli/commands/generate.ts';
import { runJobs } from '../../../src/cli/commands/jobs.ts';
import { type Ran, runCommand } from '../../support/cli/run-command.ts';
import { NO_GAME } from '../../support/fake-game/nowhere.ts';
import type { HostedService } from '../../support/hosted/hosted-service.ts';
import { runHosted } from '../../support/hosted/run-hosted.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

interface Machine {
  readonly file: string;
  readonly folder: string;
  generate(typed?: Partial<GenerateCommandOptions>, isTTY?: boolean): Promise<Ran>;
  jobs(): Promise<{ status: string; source?: string }[]>;
}

/** A machine with one picture, whose commands go to this service. */
async function machineAt({ url, key }: HostedService): Promise<Machine> {
  const folder = await ownFolder();
  const file = join(folder, 'smith.png');
  await writeFile(file, skinPng(1));
  const env = { SKINSMITH_DATA_DIR: join(folder, 'data') };
  return {
    file,
    folder,
    generate: async (typed = {}, isTTY = false) =>
      await runCommand(async (context) => await runGenerate([file], typed, context), {
        url,
        key,
        env,
        isTTY,
        flags: isTTY ? {} : { json: true, quiet: false },
      }),
    jobs: async () => {
      const ran = await runCommand(async (context) => await runJobs({}, context), {
        url,
        key,
        env,
        flags: { json: true },
      });
      return JSON.parse(ran.out);
    },
  };
}

describe('One source', () => {
  test('in a format for people is followed by a line about where to paste it', async () => {
    const { generate, file } = await machineAt(await runHosted());
    const { err } = await generate({ format: 'citizens' }, true);
    expect(err.match(/Paste it into the server console.*/g)).toHaveLength(1);
    await writeFile(file, skinPng(2));
    expect((await generate({ format: 'citizens' })).err).not.toContain('Paste it');
  });

  test('is looked up, not sent again, when the answer to its submission is lost', async () => {
    const hosted = await runHosted();
    let lost = 0;
    hosted.faults = ({ kind }) => (kind === 'submit' && lost++ === 0 ? { kind: 'reset-after' } : undefined);
    const { generate } = await machineAt(hosted);
    const ran = await generate();
    expect([ran.status, JSON.parse(ran.out)]).toMatchObject([0, { status: 'completed' }]);
    expect(lost).toBe(1);
    expect(hosted.doubleSubmissions).toEqual([]);
  });

  test('is made again when its job failed temporarily', async () => {
    const fate = { kind: 'fails', times: 2, code: 'skin_change_failed' } as const;
    const { generate } = await machineAt(await runHosted({ fate: () => fate }));
    const ran = await generate();
    expect([ran.status, JSON.parse(ran.out)]).toMatchObject([0, { status: 'completed' }]);
  });

  test('is shown in the list of jobs when it fails permanently', async () => {
    const fate = { kind: 'fails', times: 9, code: 'invalid_image' } as const;
    const { generate, jobs, file } = await machineAt(await runHosted({ fate: () => fate }));
    const ran = await generate();
    expect([ran.status, JSON.parse(ran.out)]).toMatchObject([1, { error: { code: 'invalid_image' } }]);
    expect(await jobs()).toMatchObject([{ status: 'failed', source: file }]);
  });

  test('waits while other programs use all slots, and never exceeds the limit', async () => {
    const hosted = await runHosted();
    for (let taken = 0; taken < 5; taken++) hosted.occupy(600);
    const { generate } = await machineAt(hosted);
    expect((await generate()).status).toBe(0);
    expect(hosted.records.refusals?.['job_limit'] ?? 0).toBe(0);
  });

  test('that the service knows under another name keeps its own name and shows the other', async () => {
    const { generate, folder } = await machineAt(await runHosted());
    await generate({ name: 'First' });
    const named = await generate({ name: 'Second' });
    const message = 'The service already has this skin, named "First": only your results call it "Second".';
    expect(JSON.parse(named.out)).toMatchObject({
      name: 'Second',
      duplicate: true,
      warnings: expect.arrayContaining([{ code: 'name_not_used', message }]),
    });
    expect(named.err).toContain(`warning: ${message}`);
    const read = await generate({}, true);
    expect(read.out).toMatch(/already known\n.*\n {2}name {6}smith\n/);
    expect(read.err).toContain('this skin, named "First": only your results call it "smith".');
    const again = await generate({ name: 'First', out: join(folder, 'skin.json') });
    expect(again.out).not.toContain('name_not_used');
    expect(JSON.parse(await readFile(join(folder, 'skin.json'), 'utf8'))).toMatchObject({ name: 'First' });
  });

  test('may have a name in any language; the service gets an ASCII form, which is reported once', async () => {
    const { generate } = await machineAt(await runHosted());
    const named = await generate({ name: ' Рыцарь\u202e', format: 'json,give' });
    expect(JSON.parse(named.out)).toMatchObject({
      json: { name: 'Рыцарь' },
      give: expect.stringContaining('{text:"Рыцарь"'),
    });
    expect(
      named.err.match(/Submitted with the name "Rytsar": .* Your results call it "Рыцарь"\./g),
    ).toHaveLength(1);
    for (const name of ['я'.repeat(49), '\u202e'])
      expect((await generate({ name })).told?.code).toBe('invalid_name');
  });

  test('can be tried again later if its player cannot be looked up now', async () => {
    const hosted = await runHosted();
    const env = { SKINSMITH_GAME_ADDRESSES: JSON.stringify(NO_GAME) };
    const ends = [runGenerate, runQueue].map(async (run) => {
      const place = { url: hosted.url, key: hosted.key, env };
      return await runCommand(async (context) => await run(['Ann_B'], { as: 'user' }, context), place);
    });
    for (const { status, err } of await Promise.all(ends))
      expect([status, err]).toEqual([
        75,
        expect.stringMatching(/Ann_B could not be looked up: .*give the UUID/s),
      ]);
  });
});
