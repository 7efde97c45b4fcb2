import { execa } from 'execa';

/** A step of a workflow that runs commands. */
interface Step {
  readonly condition: string;
  readonly run: string;
}

/** What came of a workflow, as the page of its run shows it. */
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
