import { CommanderError } from 'commander';
import { buildProgram } from '../../../src/cli/program.ts';

/** Why the program refuses this command line; undefined: it does not. */
export async function refusal(words: readonly string[]): Promise<string | undefined> {
  const program = await buildProgram({
    runner: () => async () => {},
    configure: (root) => {
      const create = root.createCommand.bind(root);
      root.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
      root.createCommand = (name) => {
        const child = create(name)
          .exitOverride()
          .configureOutput({ writeErr: () => {}, writeOut: () => {} });
        child.createCommand = root.createCommand;
        return child;
      };
    },
  });
  try {
    await program.parseAsync([...words], { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode !== 0) return error.message;
    if (error instanceof CommanderError) return undefined;
    throw error;
  }
}
