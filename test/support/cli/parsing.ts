import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import type { CommandContext, CommandModule, Runner } from '../../../src/cli/context/context.ts';
import { actionOf } from '../../../src/cli/program.ts';

/** What a command understood: every argument of each call of its `run`, up to the context. */
interface Understood {
  readonly calls: readonly (readonly unknown[])[];
  /** commander's complaint, if it had one. */
  readonly complaint: string;
}

async function understand({ declare }: CommandModule, argv: readonly string[]): Promise<Understood> {
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
  const run = async (...words: readonly unknown[]) => {
    calls.push(words.slice(0, words.indexOf(context)));
    return 7;
  };
  declare?.(command);
  command.action(actionOf(command, run, runner));
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
export function describeParsing(name: string, module: CommandModule, table: ParseTable): void {
  describe(`the words after ${name}`, () => {
    test.each(table.taken.map(([argv, ...args]) => ({ argv, args })))(
      'are understood: $argv',
      async ({ argv, args }) => {
        expect(await understand(module, argv)).toEqual({ calls: [args], complaint: '' });
      },
    );

    test.each(table.refused.map(([argv, complaint]) => ({ argv, complaint })))(
      'are refused: $argv',
      async ({ argv, complaint }) => {
        const understood = await understand(module, argv);
        expect(understood.calls).toEqual([]);
        expect(understood.complaint).toMatch(complaint);
      },
    );
  });
}
