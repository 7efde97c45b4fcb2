/**
 * The texts of the pages (`npm run texts`): without words, it prints those that are not translated yet. `npm run texts --
 * rename OLD NEW` gives a text another one in English, in the source and in all catalogues.
 */
import { mentionsOf, renameText } from './rename-text.ts';
import { describeUntranslated, findSayings, untranslated } from './texts.ts';

const USAGE = "Usage: npm run texts [-- rename 'Old text with {0}' 'New text with {0}']\n";

function run(words: readonly string[]): number {
  const [verb, from, to, ...rest] = words;
  if (verb === undefined) {
    process.stdout.write(describeUntranslated(untranslated(findSayings())) || 'All texts are translated.\n');
    return 0;
  }
  if (verb !== 'rename' || from === undefined || to === undefined || rest.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  return rename(from, to);
}

function rename(from: string, to: string): number {
  try {
    process.stdout.write(
      renameText({ from, to })
        .map((file) => `${file}\n`)
        .join(''),
    );
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 1;
  }
  const mentions = mentionsOf(from);
  if (mentions.length > 0) process.stderr.write(`The old text may also be in:\n${mentions.join('\n')}\n`);
  return 0;
}

process.exitCode = run(process.argv.slice(2));
