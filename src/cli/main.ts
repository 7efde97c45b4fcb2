import { VERSION } from '../base/version.ts';

/** Runs one command line (without node and the script) and returns the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  const text = await fixedText(argv);
  if (text !== undefined) return await print(text);
  const { runProgram } = await import('./run.ts');
  return await runProgram(argv);
}

async function print(text: string): Promise<number> {
  const error = await new Promise<Error | null | undefined>((resolve) => {
    process.stdout.on('error', () => {}); // without a listener it would end the process with its stack
    process.stdout.write(text, resolve);
  });
  if (!error) return 0;
  const { reportUnwritten } = await import('./run.ts');
  return await reportUnwritten(error);
}

/** Fixed output for fixed words, printed before other modules load. */
async function fixedText(argv: readonly string[]): Promise<string | undefined> {
  const [word, ...more] = argv;
  if (argv.length === 2 && argv.includes('--json') && argv.some(isVersion)) {
    return await (await import('./commands/version.ts')).versionDocument();
  }
  if (more.length > 0) return undefined;
  if (word === undefined) return WELCOME;
  if (isVersion(word)) return `${VERSION}\n`;
  if (word === '-h') return WELCOME;
  if (word === '--help' && !isNarrow(process.stdout)) {
    return (await import('./help/program-help.ts')).PROGRAM_HELP;
  }
  return undefined;
}

function isVersion(word: string): boolean {
  return word === '--version' || word === '-V';
}

/** Whether the lines of the program's help are longer than the terminal is wide. */
function isNarrow({ isTTY, columns }: NodeJS.WriteStream): boolean {
  return isTTY && columns < 80;
}

/** The output of `skinsmith` without arguments: one screen that leads to a first skin. */
const WELCOME = `skinsmith turns PNG files, URLs and players into signed Minecraft skins.

Make your first skin, from a PNG file or from a player:

  skinsmith generate skin.png
  skinsmith generate --player Notch

This needs no account, but players with an unmodified Minecraft see only skins
that Mojang signed. For them, use MineSkin, or a pack for NPCs and heads:

  skinsmith login --base-url https://api.mineskin.org
  skinsmith pack skins/ --out pack.zip

What to do next:

  skinsmith check skins/                     find unusable pictures, offline
  skinsmith generate skins/ --out signed/    make a whole folder of skins
  skinsmith verify signed/skins.lock         check signatures and pixels
  skinsmith doctor                           find problems with your setup

  skinsmith --help             list all commands and global options
  skinsmith help <command>     show examples and options of a command
`;
