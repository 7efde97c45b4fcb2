import type { Command } from 'commander';
import { VERSION } from '../../base/version.ts';
import type { CommandModule } from '../context/context.ts';
import { isTopic, TOPIC_SUMMARIES } from '../help/help-page.ts';

const COLUMNS = 80;

export const help = {
  description: 'Show help for a command or a topic.',
  examples: {
    'Show the help of a command': 'skinsmith help skins list',
    'Save the manual page of a command': 'skinsmith help --man generate > skinsmith-generate.1',
    'List output formats, and where to paste each': 'skinsmith help formats',
  },
  output: [],
  declare: (command) =>
    command
      .argument(
        '[topic...]',
        `a command (generate, skins list) or a topic: ${TOPIC_SUMMARIES.map(([name]) => name).join(', ')}`,
      )
      .option('--man', 'print the manual page of the command, or of the topic output, as man reads it')
      .action(async (words: string[], { man }: { readonly man?: boolean }) => {
        const program = command.parent ?? command;
        await (man ? showManual(words, program) : showHelp(words, program));
      }),
} satisfies CommandModule;

/** The manual pages that the build writes, for programs that were installed without them. */
async function showManual(words: readonly string[], program: Command): Promise<void> {
  const { formatsPage } = await import('../man/formats-page.ts');
  const { renderFormatsPage, renderManPage } = await import('../man/man-page.ts');
  const [first] = words;
  if (first === 'output' || first === 'formats')
    process.stdout.write(renderFormatsPage(formatsPage(program), VERSION));
  else {
    const command = await findCommand(words, program);
    if (command) process.stdout.write(renderManPage(command, VERSION));
  }
}

/** The words after `help` are a topic or the path of a command. An unknown command fails as it does elsewhere. */
async function showHelp(words: readonly string[], program: Command): Promise<void> {
  const [first] = words;
  if (first !== undefined && isTopic(first)) {
    const { topicText } = await import('../man/formats-page.ts');
    process.stdout.write(topicText(first, COLUMNS, program));
    return;
  }
  (await findCommand(words, program))?.outputHelp();
}

/** The command at the end of that path; undefined once an unknown word has failed. */
async function findCommand(words: readonly string[], program: Command): Promise<Command | undefined> {
  let command = program;
  for (const word of words) {
    const child = command.commands.find((one) => one.name() === word);
    if (!child) {
      await command.parseAsync([word], { from: 'user' });
      return undefined;
    }
    command = child;
  }
  return command;
}
