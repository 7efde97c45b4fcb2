import { readFile } from 'node:fs/promises';
import { execa } from 'execa';

/** A step of a workflow that runs commands. */
interface Step {
  readonly condition: string;
  readonly run: string;
}

/** The outcome of a workflow, as the page of its run shows it. */
export interface WorkflowRan {
  /** Of each step; undefined: it was left out. */
  readonly statuses: readonly (number | undefined)[];
  readonly output: string;
}

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The steps of a GitHub Actions workflow with a single job. */
export function stepsOf(yaml: string): Step[] {
  const steps = yaml.matchAll(/^ {6}- (?:if: (.*)\n {8})?run: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/gm);
  return [...steps].map(([, condition = 'success()', block, line = '']) => ({
    condition,
    run: block?.replace(/^ {10}/gm, '') ?? line,
  }));
}

/** Runs them as a runner does: without a terminal, each in a shell of its own, on after a failure only by `always()`. */
export async function runSteps(steps: readonly Step[], event: string, place: Place): Promise<WorkflowRan> {
  const statuses: (number | undefined)[] = [];
  let output = '';
  for (const { condition, run } of steps) {
    const isOfEvent = condition.includes('!=') ? event !== 'pull_request' : event === 'pull_request';
    const hasFailed = statuses.some((status) => status !== undefined && status !== 0);
    const isLeftOut =
      (condition.includes('github.event_name') && !isOfEvent) ||
      (hasFailed && !condition.includes('always()'));
    if (isLeftOut) {
      statuses.push(undefined);
      continue;
    }
    const options = { ...place, extendEnv: false, reject: false, all: true, stdin: 'ignore' } as const;
    const ran = await execa('bash', ['-e', '-o', 'pipefail', '-c', run], options);
    statuses.push(ran.exitCode);
    output += `${ran.all}\n`;
  }
  return { statuses, output };
}

/** A step of an action that is made of steps. */
interface ActionStep {
  readonly id: string;
  /** Undefined: it runs unless one before it has failed. */
  readonly condition: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly run: string;
}

/** The steps of an action.yml, and the defaults of its inputs. */
function readAction(yaml: string): {
  readonly steps: readonly ActionStep[];
  readonly defaults: Place['env'];
} {
  const inputs = yaml.slice(yaml.indexOf('\ninputs:'), yaml.indexOf('\noutputs:'));
  const defaults = [...inputs.matchAll(/^ {2}([\w-]+):\n(?: {4}.*\n)*? {4}default: (.*)$/gm)];
  const steps = yaml.matchAll(
    /^ {4}- id: (\w+)\n(?: {6}if: (.*)\n)? {6}shell: bash\n {6}env:\n((?: {8}\S.*\n)+) {6}run: \|\n((?: {8}.*\n|\n)+)/gm,
  );
  return {
    defaults: Object.fromEntries(
      defaults.map(([, name = '', value = '']) => [name, value.replaceAll(/['"]/g, '')]),
    ),
    steps: [...steps].map(([, id = '', condition, env = '', run = '']) => ({
      id,
      condition,
      env: Object.fromEntries(
        [...env.matchAll(/^ {8}(\w+): (.*)$/gm)].map(([, name, value]) => [name, value]),
      ),
      run: run.replace(/^ {8}/gm, ''),
    })),
  };
}

export interface ActionRan {
  /** Of the first step that failed. */
  readonly status: number | undefined;
  readonly output: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** Runs an action as a runner does, until a step fails. `action`: the folder of its checkout. */
export async function runAction(
  yaml: string,
  inputs: Place['env'],
  { action, cwd, env }: Place & { readonly action: string },
): Promise<ActionRan> {
  const { steps, defaults } = readAction(yaml);
  const ref = env['GITHUB_REF_NAME'] ?? '';
  const known: Record<string, string> = { 'github.action_path': action, 'github.ref_name': ref };
  for (const [name, value] of Object.entries({ ...defaults, ...inputs })) known[`inputs.${name}`] = value;
  const filled = (value: string) =>
    value.replaceAll(/\$\{\{ (\S+) \}\}/g, (_, name: string) => known[name] ?? '');
  let [status, output]: [number | undefined, string] = [undefined, ''];
  for (const step of steps) {
    const [, input] = /inputs\.([\w-]+) != ''/.exec(step.condition ?? '') ?? [];
    if (status && !step.condition?.includes('always()')) continue;
    if (input !== undefined && !known[`inputs.${input}`]) continue;
    const file = `${env['RUNNER_TEMP']}/${step.id}-outputs`;
    const own = Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, filled(value)]));
    const words = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', step.run];
    const ran = await execa('bash', words, {
      ...{ cwd, env: { ...env, ...own, GITHUB_OUTPUT: file } },
      ...{ extendEnv: false, reject: false, all: true, stdin: 'ignore' },
    });
    [status, output] = [status || ran.exitCode, `${output}${ran.all}\n`];
    const written = await readFile(file, 'utf8').catch(() => '');
    for (const [, name = '', value = ''] of written.matchAll(/^([\w-]+)=(.*)$/gm))
      known[`steps.${step.id}.outputs.${name}`] = value;
  }
  const outputs = [...yaml.matchAll(/^ {4}value: \$\{\{ (steps\.\w+\.outputs\.(\w+)) \}\}$/gm)];
  return {
    status,
    output,
    outputs: Object.fromEntries(outputs.map(([, path = '', name]) => [name, known[path] ?? ''])),
  };
}
