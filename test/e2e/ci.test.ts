import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { codeBlocks } from '../support/docs/code-blocks.ts';
import { runSteps, stepsOf, type WorkflowRan } from '../support/docs/workflow.ts';
import type { HostedService } from '../support/hosted/hosted-service.ts';
import { hostedWorkshop, lines, NOWHERE, type Workshop } from '../support/program/batches.ts';
import { writeForShells } from '../support/program/called-by-shells.ts';
import { freshMachine, type Ran, ROOT } from '../support/program/program.ts';

const MAKE = ['generate', 'skins', '--out', 'signed'];

/** Runs a command as a CI service does: in the same folder, on a machine that nothing is known of. */
async function onRunner(shop: Workshop, service: HostedService, ...args: string[]): Promise<Ran> {
  const env = { SKINSMITH_BASE_URL: service.url, SKINSMITH_API_KEY: service.key };
  return await (await freshMachine()).run(args, { cwd: shop.folder, env });
}

interface Summary {
  readonly made: number;
  readonly unchanged: number;
  readonly left: number;
}

function summaryIn(stderr: string): Summary {
  const line = lines(stderr).find((text) => text.startsWith('{"summary"'));
  return (JSON.parse(line ?? '') as { summary: Summary }).summary;
}

test('50 skins are made ten at a time, by runs that have only the lockfile, and each run succeeds', async () => {
  const { shop, service } = await hostedWorkshop({ serviceTime: 5 });
  await shop.drawMany('skins', 50);
  const command = [...MAKE, '--max-new', '10', '--json'];
  for (let left = 40; left >= 0; left -= 10) {
    const { exitCode, stdout, stderr } = await onRunner(shop, service, ...command);
    expect([exitCode, summaryIn(stderr)]).toMatchObject([0, { made: 10, unchanged: 40 - left, left }]);
    const statuses = (JSON.parse(stdout) as { status: string }[]).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'left')).toHaveLength(left);
    expect(await shop.lock('signed/skins.lock')).toHaveLength(50 - left);
  }
  const last = await onRunner(shop, service, ...MAKE, '--max-new', '10', '--fail-if-left');
  expect([last.exitCode, last.stderr]).toEqual([0, expect.stringMatching(/^50 sources: up to date\.$/m)]);
  expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([50, []]);
});

test('A run that leaves skins fails on request, and if it made none', async () => {
  const { shop, service } = await hostedWorkshop();
  await shop.drawMany('skins', 3);
  const failing = await shop.run(...MAKE, '--max-new', '1', '--fail-if-left');
  expect([failing.exitCode, failing.stderr]).toEqual([
    3,
    expect.stringMatching(/^3 sources: 1 made, 2 left/m),
  ]);
  const none = await shop.run(...MAKE, '--max-new', '0');
  expect([none.exitCode, none.stderr]).toEqual([
    3,
    expect.stringMatching(/^3 sources: 1 unchanged, 2 left/m),
  ]);
  expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([1, []]);
});

test('What the service already had is distinguished from what was made', async () => {
  const { shop, service } = await hostedWorkshop();
  await shop.drawMany('skins', 2);
  await shop.run(...MAKE);
  await shop.draw({ 'skins/03': 3 });
  const again = await onRunner(shop, service, 'generate', 'skins', '--out', 'elsewhere');
  expect(again.stderr).toMatch(/^3 sources: 1 made, 2 already at the service \(2 submissions\)/m);
});

/** A repository that the README's workflow runs in. */
class Repository {
  readonly shop: Workshop;
  readonly #service: HostedService;

  constructor(shop: Workshop, service: HostedService) {
    this.shop = shop;
    this.#service = service;
  }

  static async make(): Promise<Repository> {
    const { shop, service } = await hostedWorkshop({ serviceTime: 5 });
    const repository = new Repository(shop, service);
    await repository.#git('init', '--quiet', '--initial-branch=main');
    await repository.#git('config', 'receive.denyCurrentBranch', 'updateInstead');
    return repository;
  }

  /** Commits everything that is in the folder. */
  async commit(): Promise<void> {
    await this.#git('add', '.');
    await this.#git('-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '-qm', 'Draw skins');
  }

  async log(): Promise<string[]> {
    return lines((await this.#git('log', '--format=%s', '--reverse')).stdout);
  }

  /** One run of the workflow, in a new clone on a new machine. */
  async run(event: 'push' | 'pull_request'): Promise<WorkflowRan & { readonly summary: string }> {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const [workflow] = codeBlocks(readme).filter(({ language }) => language === 'yaml');
    const { folder, env } = await freshMachine();
    const program = join(folder, 'skinsmith');
    await writeForShells(program);
    const steps = stepsOf(workflow?.code ?? '').map((step) => ({
      ...step,
      run: step.run.replace(/npx --yes skinsmith@\S+/g, program).replace('--max-new 100', '--max-new 10'),
    }));
    const clone = join(folder, 'clone');
    await this.#git('clone', '--quiet', this.shop.folder, clone);
    const summary = join(folder, 'summary.md');
    const ran = await runSteps(steps, event, {
      cwd: clone,
      env: {
        ...env,
        ...{ GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: clone, GITHUB_STEP_SUMMARY: summary },
        ...{ SKINSMITH_NO_LOCAL: '1', SKINSMITH_BASE_URL: this.#service.url },
        ...(event === 'push' && { SKINSMITH_API_KEY: this.#service.key }),
      },
    });
    return { ...ran, summary: await readFile(summary, 'utf8') };
  }

  async #git(...args: string[]) {
    await mkdir(this.shop.folder, { recursive: true });
    return await execa('git', args, { cwd: this.shop.folder });
  }
}

describe("The README's workflow", () => {
  test('commits what each run has made until all is done, also where a picture is broken', async () => {
    const repository = await Repository.make();
    const { shop } = repository;
    await shop.drawMany('examples', 15);
    await shop.write('examples/broken.png', 'no picture');
    await repository.commit();
    const first = await repository.run('push');
    expect(first.statuses).toEqual([undefined, 1, 0]);
    expect(first.output).toMatch(
      /^::error file=examples\/broken\.png,title=skinsmith%3A invalid_image::examples/m,
    );
    expect(first.summary).toMatch(/^16 sources: 10 made, 1 failed, 5 left.*\n\n\| source/m);
    expect(first.summary).toContain('| examples/broken.png | ');
    expect(await shop.lock('signed/skins.lock')).toHaveLength(10);
    await shop.draw({ 'examples/broken': 99 });
    await repository.commit();
    expect((await repository.run('push')).statuses).toEqual([undefined, 0, 0]);
    expect(await shop.lock('signed/skins.lock')).toHaveLength(16);
    expect((await repository.run('push')).statuses).toEqual([undefined, 0, 0]); // nothing to commit
    expect(await repository.log()).toEqual(['Draw skins', 'Sign skins', 'Draw skins', 'Sign skins']);
  });

  test('lets a pull request with new skins pass, and says what main will sign; not one with a broken picture', async () => {
    const repository = await Repository.make();
    const { shop } = repository;
    await shop.drawMany('examples', 2);
    await repository.commit();
    await repository.run('push');
    await shop.draw({ 'examples/01': 11, 'examples/new': 12 });
    await repository.commit();
    const { statuses, output, summary } = await repository.run('pull_request');
    expect(statuses).toEqual([0, undefined, undefined]);
    expect(output).toMatch(/^changed: examples\/01\.png$/m);
    expect(output).toMatch(/^::notice file=examples\/new\.png,title=skinsmith%3A new::.* to be made$/m);
    expect(output).toContain('3 sources: 1 in the lockfile, 2 to be made.');
    expect(summary).toContain('| examples/new.png | new, to be made |');
    await shop.write('examples/broken.png', 'no picture');
    await repository.commit();
    expect((await repository.run('pull_request')).statuses).toEqual([1, undefined, undefined]);
  });
});

test('--allow-new checks new pictures without a service, marks them in JSON, and needs --frozen', async () => {
  const { shop } = await hostedWorkshop();
  await shop.drawMany('skins', 1);
  await shop.run(...MAKE);
  await shop.draw({ 'skins/02': 2 });
  const frozen = [...MAKE, '--frozen', '--base-url', NOWHERE, '--report', 'junit=skins.xml'];
  const strict = await shop.run(...frozen, '--json');
  expect([strict.exitCode, JSON.parse(strict.stdout)]).toMatchObject([3, [{}, { status: 'failed' }]]);
  expect(await shop.read('skins.xml')).toMatch(
    /tests="2" failures="1" errors="0" skipped="0"[\s\S]*<failure message="[^"]*is not in the lockfile\./,
  );
  const { exitCode, stdout } = await shop.run(...frozen, '--allow-new', '--json');
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, [{ status: 'completed' }, { status: 'new' }]]);
  expect(await shop.read('skins.xml')).toMatch(
    /tests="2" failures="0" errors="0" skipped="1"[\s\S]*<skipped message="new/,
  );
  const alone = await shop.run(...MAKE, '--allow-new');
  expect([alone.exitCode, alone.stderr]).toEqual([2, expect.stringContaining('Add --frozen.')]);
});

test('--frozen also reports the sources that are gone, for which it fails', async () => {
  const { shop } = await hostedWorkshop();
  await shop.drawMany('skins', 2);
  await shop.run(...MAKE);
  await rm(join(shop.folder, 'skins/02.png'));
  const frozen = [...MAKE, '--frozen', '--report', 'junit=skins.xml', '--report', 'html=skins.html'];
  const { exitCode, stderr } = await shop.runIn({ GITHUB_ACTIONS: 'true' }, ...frozen);
  expect([exitCode, stderr]).toEqual([
    3,
    expect.stringMatching(/^::error .*title=skinsmith%3A gone::skins\/02\.png is in/m),
  ]);
  expect(await shop.read('skins.xml')).toMatch(
    /tests="2" failures="1" errors="0" skipped="0"[\s\S]*<failure message="[^"]*is in the lockfile, but/,
  );
  expect(await shop.read('skins.html')).toContain('is in the lockfile, but');
});

test('A JUnit report has the time of each skin, and every source, left or not delivered', async () => {
  const { shop } = await hostedWorkshop({ serviceTime: 300 });
  await shop.drawMany('skins', 3);
  const report = ['--report', 'junit=skins.xml', '--max-new', '1'];
  await shop.run(...MAKE, ...report);
  const first = await shop.read('skins.xml');
  const [, time = ''] = /name="skins\/01\.png" time="([\d.]+)"/.exec(first) ?? [];
  expect(Number(time)).toBeGreaterThan(0);
  expect(first.match(/<testcase/g)).toHaveLength(3);
  expect(first).toContain('tests="3" failures="0" errors="0" skipped="2"');
  await shop.run(...MAKE, ...report, '--require-signer', 'game');
  const second = await shop.read('skins.xml');
  expect(second.match(/<testcase/g)).toHaveLength(3);
  expect(second).toMatch(/failures="[12]"[\s\S]*type="wrong_signer"/);
});
