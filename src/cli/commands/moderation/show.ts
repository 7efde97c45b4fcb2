import type { Command } from 'commander';
import type { CommandModule } from '../../context/command-module.ts';
import type { Runner } from '../../context/runner.ts';
import { describeDecision, MODERATED_OUTPUT, type NoteOption, setHidden } from './skin-decisions.ts';

export const moderationShow = {
  examples: [
    ['Show a skin again', 'skinsmith moderation show SKIN'],
    ['Say why, for the log', 'skinsmith moderation show SKIN --note "a mistake"'],
  ],
  output: [MODERATED_OUTPUT],
  register(command: Command, runner: Runner, run = setHidden): void {
    describeDecision(
      command.description('Show hidden skins again, as visible as they were (operators only).'),
    ).action(
      async (uuids: string[], typed: NoteOption) =>
        await runner(async (context) => await run(uuids, { ...typed, hidden: false }, context)),
    );
  },
} satisfies CommandModule;
