import type { Command } from 'commander';
import { type Examples, isTopic, TOPIC_SUMMARIES } from '../help/help-page.ts';
import type { CommandOutput } from '../output/described.ts';

const COLUMNS = 80;

export const examples: Examples = [
  ['Show the help of a command', 'skinsmith help skins list'],
  ['List exit statuses', 'skinsmith help exit-status'],
  ['List the columns and JSON fields that commands print', 'skinsmith help formats'],
];

export const output: readonly CommandOutput[] = [];

export function register(command: Command): void {
  command
    .description('Show help for a command or a topic.')
    .argument(
      '[topic...]',
      `a command (generate, skins list) or a topic: ${TOPIC_SUMMARIES.map(([name]) => name).join(', ')}`,
    )
    .action(async (words: string[]) => await showHelp(words, command.parent ?? command));
}

/** The words after `help` are a topic or the path of a command. An unknown command fails as it does elsewhere. */
async function showHelp(words: readonly string[], program: Command): Promise<void> {
  const [first] = words;
  if (first !== undefined && isTopic(first)) {
    const { topicText } = await import('../man/formats-page.ts');
    process.stdout.write(topicText(first, COLUMNS, program));
    return;
  }
  let command = program;
  for (const word of words) {
    const child = command.commands.find((one) => one.name() === word);
    if (!child) {
      await command.parseAsync([word], { from: 'user' });
      return;
    }
    command = child;
  }
  command.outputHelp();
}
