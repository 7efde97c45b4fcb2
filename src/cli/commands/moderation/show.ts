import type { Command } from 'commander';
import type { Runner } from '../../context/runner.ts';
import type { Examples } from '../../help/examples.ts';
import type { CommandOutput } from '../../output/described.ts';
import { describeDecision, MODERATED_OUTPUT, type NoteOption, setHidden } from './skin-decisions.ts';

export const examples: Examples = [
  ['Show a skin again', 'skinsmith moderation show SKIN'],
  ['Say why, for the log', 'skinsmith moderation show SKIN --note "a mistake"'],
];

export const output: readonly CommandOutput[] = [MODERATED_OUTPUT];

export function register(command: Command, runner: Runner, run = setHidden): void {
  describeDecision(
    command.description('Show hidden skins again, as visible as they were (operators only).'),
  ).action(
    async (uuids: string[], typed: NoteOption) =>
      await runner(async (context) => await run(uuids, { ...typed, hidden: false }, context)),
  );
}
