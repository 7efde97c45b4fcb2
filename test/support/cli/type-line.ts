import type { ExitStatus } from '../../../src/cli/context/context.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { type Ran, runCommand } from './run-command.ts';

/** Runs a command line through the whole tree, in this process. */
export async function typeLine(
  words: readonly string[],
  place: Parameters<typeof runCommand>[1],
): Promise<Ran> {
  return await runCommand(async (context) => {
    let status = -1;
    const runner = () => async (work: (own: typeof context) => ExitStatus) => {
      status = (await work(context)) ?? 0;
    };
    const program = await buildProgram({ runner, words });
    await program.parseAsync([...words], { from: 'user' });
    return status;
  }, place);
}
