import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { codeBlocks } from '../docs/code-blocks.ts';
import { type ActionRan, runAction, runSteps, stepsOf, type WorkflowRan } from '../docs/workflow.ts';
import type { HostedService, ServiceOptions } from '../hosted/hosted-service.ts';
import { ownFolder } from '../server/own-folder.ts';
import { hostedWorkshop, type LockLine, lines, type Workshop } from './batches.ts';
import { writeForShells } from './called-by-shells.ts';
import { freshMachine, ROOT } from './program.ts';

export const AUTHOR = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];

interface RunOptions {
  /** How many skins a run makes at most, to see several runs. */
  readonly maxNew?: number;
  /** How long it works at most, instead of the workflow's time. */
  readonly timeout?: string;
  /** Commands that run just before the program does, in a folder of their own. */
  readonly meanwhile?: string;
  /** More of the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export type CiRan = WorkflowRan & { readonly summary: string; readonly outputs: string };

/** A clone of a bare repository on the way to which nothing is special, and the workflows that run for it. */
export class Repository {
  readonly shop: Workshop;
  readonly service: HostedService;
  /** The bare repository. */
  readonly remote: string;

  private constructor(shop: Workshop, service: HostedService, remote: string) {
    this.shop = shop;
    this.service = service;
    this.remote = remote;
  }

  /** With an empty `main`. */
  static async make(options: ServiceOptions = { serviceTime: 5 }): Promise<Repository> {
    const { shop, service } = await hostedWorkshop(options);
    const remote = join(await ownFolder(), 'remote.git');
    const repository = new Repository(shop, service, remote);
    await execa('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote]);
    await repository.git('init', '--quiet', '--initial-branch=main');
    await repository.git('remote', 'add', 'origin', remote);
    await repository.git(...AUTHOR, 'commit', '--quiet', '--allow-empty', '--message', 'Begin');
    await repository.git('push', '--quiet', '--set-upstream', 'origin', 'main');
    return repository;
  }

  async git(...args: string[]): Promise<string> {
    return (await execa('git', args, { cwd: this.shop.folder })).stdout;
  }

  /** Commits everything that is in the folder and pushes it, after what others have pushed. */
  async push(subject = 'Draw skins'): Promise<void> {
    await this.git('add', '--all', '.');
    await this.git(...AUTHOR, 'commit', '--quiet', '--message', subject);
    await this.git(...AUTHOR, 'pull', '--quiet', '--rebase');
    await this.git('push', '--quiet');
  }

  async pull(): Promise<void> {
    await this.git(...AUTHOR, 'pull', '--quiet', '--rebase');
  }

  async move(from: string, to: string): Promise<void> {
    await rename(this.shop.path(from), this.shop.path(to));
  }

  async remove(file: string): Promise<void> {
    await rm(this.shop.path(file));
  }

  /** Refuses all pushes to main, as a rule of the host does. */
  async protect(): Promise<void> {
    await this.hook(
      'pre-receive',
      'while read -r old new ref; do if [ "$ref" = refs/heads/main ]; then echo "main is protected" >&2; exit 1; fi; done',
    );
  }

  /** Lets the host run commands, as a hook. */
  async hook(name: string, script: string): Promise<void> {
    await writeFile(join(this.remote, 'hooks', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  /** Of a branch of the host, the oldest first. */
  async log(branch = 'main'): Promise<string[]> {
    return lines(await this.#onHost('log', '--format=%s', '--reverse', branch));
  }

  /** The files that a branch of the host has below a folder. */
  async files(folder: string, branch = 'main'): Promise<string[]> {
    const all = await this.#onHost(
      '-c',
      'core.quotePath=off',
      'ls-tree',
      '-r',
      '--name-only',
      branch,
      `${folder}/`,
    );
    return lines(all).map((path) => path.slice(folder.length + 1));
  }

  async lock(branch = 'main'): Promise<LockLine[]> {
    const text = await this.#onHost('show', `${branch}:signed/skins.lock`);
    return lines(text).map((line) => JSON.parse(line) as LockLine);
  }

  /** The names of the sources in the lockfile of a branch of the host. */
  async sources(branch = 'main'): Promise<string[]> {
    return (await this.lock(branch)).map(({ source }) => source.replace('../examples/', ''));
  }

  /** What the service was paid for: jobs that it accepted, and those that it made twice. */
  get paid(): readonly [accepted: number, twice: number] {
    return [this.service.records.accepted.length, this.service.doubleSubmissions.length];
  }

  /**
   * One run of action.yml in place of the steps of the workflow of docs/ci.md that run skinsmith, and of its step that commits.
   * @returns with the status of that; undefined for pull requests
   */
  async act(
    event: 'push' | 'pull_request',
    { maxNew, timeout, ...options }: Omit<RunOptions, 'env'> = {},
  ): Promise<ActionRan & { readonly committed: number | undefined }> {
    const { folder, env, program, clone } = await this.runner(options);
    const action = join(folder, 'action');
    await mkdir(join(action, 'deploy'), { recursive: true });
    await writeFile(join(action, 'package.json'), '{\n  "version": "7.8.9",\n}\n');
    await writeFile(join(action, 'deploy/install.sh'), `mkdir -p "$2/bin"; cp ${program} "$2/bin/skinsmith"`);
    const inputs = {
      ...{ sources: 'examples', service: this.service.url, key: this.service.key },
      ...(event === 'pull_request' && { frozen: 'allow-new' }),
      ...(maxNew !== undefined && { 'max-new': String(maxNew) }),
      ...(timeout !== undefined && { timeout }),
    };
    const runner = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: clone, GITHUB_REF_NAME: 'main' };
    const place = { cwd: clone, env: { ...env, ...runner, RUNNER_TEMP: folder } };
    const ran = await runAction(await readFile(join(ROOT, 'action.yml'), 'utf8'), inputs, {
      action,
      ...place,
    });
    const commit = (await workflowSteps()).slice(-1);
    const { statuses, output } = await runSteps(commit, event, place);
    return { ...ran, output: ran.output + output, committed: statuses[0] };
  }

  /** One run of the workflow of docs/ci.md, in a new clone on a new machine. */
  async run(event: 'push' | 'pull_request', options: RunOptions = {}): Promise<CiRan> {
    const { folder, env, program, clone } = await this.runner(options);
    const limit = options.maxNew === undefined ? '' : ` --max-new ${options.maxNew}`;
    const steps = (await workflowSteps()).map((step) => ({
      ...step,
      run: step.run
        .replace(/npx --yes skinsmith@\S+/g, program)
        .replace('--prune', `--prune${limit}`)
        .replace('--timeout 50m', `--timeout ${options.timeout ?? '50m'}`),
    }));
    const [summary, outputs] = [join(folder, 'summary.md'), join(folder, 'outputs')];
    const ran = await runSteps(steps, event, {
      cwd: clone,
      env: {
        ...env,
        ...{ GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: clone, GITHUB_REF_NAME: 'main' },
        ...{ GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: outputs },
        ...{ SKINSMITH_NO_LOCAL: '1', SKINSMITH_BASE_URL: this.service.url },
        ...(event === 'push' && { SKINSMITH_API_KEY: this.service.key }),
        ...options.env,
      },
    });
    const read = async (path: string) => await readFile(path, 'utf8').catch(() => '');
    return { ...ran, summary: await read(summary), outputs: await read(outputs) };
  }

  /** A new machine with a clone of main as CI services make it, and a program that shells can run. */
  async runner({ meanwhile }: Pick<RunOptions, 'meanwhile'> = {}) {
    const { folder, env } = await freshMachine();
    const [bin, clone] = [join(folder, 'bin'), join(folder, 'clone')];
    const real = join(bin, 'real');
    await writeForShells(real);
    const program = join(bin, 'skinsmith');
    const aside = meanwhile === undefined ? '' : `(cd "${this.shop.folder}" && ${meanwhile}) >&2\n`;
    await writeFile(program, `#!/bin/sh\nset -e\n${aside}exec ${real} "$@"\n`, { mode: 0o755 });
    await execa('git', ['clone', '--quiet', '--depth', '1', `file://${this.remote}`, clone]);
    return { folder, bin, clone, program, env: { ...env, PATH: `${bin}:${env['PATH']}` } };
  }

  async #onHost(...args: string[]): Promise<string> {
    return (await execa('git', args, { cwd: this.remote })).stdout;
  }
}

/** Those of the workflow in the README. */
async function workflowSteps() {
  const readme = await readFile(join(ROOT, 'docs/ci.md'), 'utf8');
  const [workflow] = codeBlocks(readme).filter(({ language }) => language === 'yaml');
  return stepsOf(workflow?.code ?? '');
}
