import type { Command } from 'commander';
import type { CommandModule } from '../../context/command-module.ts';
import type { Runner } from '../../context/runner.ts';
import { describeDecision, MODERATED_OUTPUT, type NoteOption, setHidden } from './skin-decisions.ts';

export const moderationHide = {
  examples: [
    ['Hide a skin', 'skinsmith moderation hide SKIN'],
    ['Say why, for the log', 'skinsmith moderation hide SKIN --note "rude"'],
  ],
  output: [MODERATED_OUTPUT],
  register(command: Command, runner: Runner, run = setHidden): void {
    describeDecision(
      command.description(
        'Hide skins of anybody (operators only).\n' +
          'A hidden skin is private, and its owner cannot change that. Its reports are closed.',
      ),
    ).action(
      async (uuids: string[], typed: NoteOption) =>
        await runner(async (context) => await run(uuids, { ...typed, hidden: true }, context)),
    );
  },
} satisfies CommandModule;
