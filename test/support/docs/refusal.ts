import { CommanderError } from 'commander';
import { buildProgram } from '../../../src/cli/program.ts';

/** It forgets each line before it reads the next one, so one program is enough for all of them. */
const silent = buildProgram({
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

/** Why the program refuses this command line; undefined: it does not. */
export async function refusal(words: readonly string[]): Promise<string | undefined> {
  const program = await silent;
  try {
    await program.parseAsync([...words], { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode !== 0) return error.message;
    if (error instanceof CommanderError) return undefined;
    throw error;
  }
}
