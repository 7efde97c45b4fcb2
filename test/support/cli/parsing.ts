import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import type { CommandContext, Runner } from '../../../src/cli/context/context.ts';
/** A command file's `register`, whose `run` takes the arguments `A`, the last of them the context. */
export type Register<A extends unknown[]> = (
  command: Command,
  runner: Runner,
  run?: (...args: A) => Promise<number>,
) => void;

/** What a command understood: every argument of each call of its `run`, without the context. */
interface Understood {
  readonly calls: readonly (readonly unknown[])[];
  /** commander's complaint, if it had one. */
  readonly complaint: string;
}

async function understand<A extends unknown[]>(
  register: Register<A>,
  argv: readonly string[],
): Promise<Understood> {
  const context = {} as CommandContext;
  const calls: unknown[][] = [];
  let complaint = '';
  const command = new Command('it').exitOverride().configureOutput({
    writeErr: (text) => {
      complaint += text;
    },
  });
  const runner: Runner = async (work) => {
    expect(await work(context)).toBe(7); // what `run` answers is the exit status
  };
  register(command, runner, async (...args) => {
    expect(args.at(-1)).toBe(context);
    calls.push(args.slice(0, -1));
    return 7;
  });
  await command.parseAsync([...argv], { from: 'user' }).catch((error: { code?: string }) => {
    if (!error.code?.startsWith('commander.')) throw error;
  });
  return { calls, complaint };
}

export interface ParseTable {
  /** Words typed, and the arguments that `run` gets for them. */
  readonly taken: readonly (readonly [argv: readonly string[], ...args: unknown[]])[];
  readonly refused: readonly (readonly [argv: readonly string[], complaint: RegExp])[];
}

/** Tests how a command parses its arguments. */
export function describeParsing<A extends unknown[]>(
  name: string,
  register: Register<A>,
  table: ParseTable,
): void {
  describe(`the words after ${name}`, () => {
    test.each(table.taken.map(([argv, ...args]) => ({ argv, args })))(
      'are understood: $argv',
      async ({ argv, args }) => {
        expect(await understand(register, argv)).toEqual({ calls: [args], complaint: '' });
      },
    );

    test.each(table.refused.map(([argv, complaint]) => ({ argv, complaint })))(
      'are refused: $argv',
      async ({ argv, complaint }) => {
        const understood = await understand(register, argv);
        expect(understood.calls).toEqual([]);
        expect(understood.complaint).toMatch(complaint);
      },
    );
  });
}
