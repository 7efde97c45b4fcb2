import type { Command } from 'commander';
import type { Runner } from '../../context/runner.ts';
import type { Examples } from '../../help/examples.ts';
import type { CommandOutput } from '../../output/described.ts';
import { describeDecision, MODERATED_OUTPUT, type NoteOption, setHidden } from './skin-decisions.ts';

export const examples: Examples = [
  ['Hide a skin', 'skinsmith moderation hide SKIN'],
  ['Say why, for the log', 'skinsmith moderation hide SKIN --note "rude"'],
];

export const output: readonly CommandOutput[] = [MODERATED_OUTPUT];

export function register(command: Command, runner: Runner, run = setHidden): void {
  describeDecision(
    command.description(
      'Hide skins of anybody (operators only).\n' +
        'A hidden skin is private, and its owner cannot change that. Its reports are closed.',
    ),
  ).action(
    async (uuids: string[], typed: NoteOption) =>
      await runner(async (context) => await run(uuids, { ...typed, hidden: true }, context)),
  );
}
