/**
 * Writes the manual pages and their list in package.json, docs/formats.md, the completion scripts and the text of
 * `skinsmith --help` from the command tree: `node man/make.ts`. With `--check` it writes nothing, and fails when a file is out of date, is missing, or has
 * no command.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { VERSION } from '../src/base/version.ts';
import { completionScript } from '../src/cli/completion/scripts.ts';
import { SCRIPT_FILES, SHELLS } from '../src/cli/completion/shells.ts';
import { shownCommands } from '../src/cli/completion/tree.ts';
import { HelpPage } from '../src/cli/help/help-page.ts';
import { FORMATS_PAGE, formatsPage } from '../src/cli/man/formats-page.ts';
import { manPageName, renderFormatsPage, renderManPage } from '../src/cli/man/man-page.ts';
import { markdown } from '../src/cli/man/markdown.ts';
import { buildProgram } from '../src/cli/program.ts';

const ROOT = join(import.meta.dirname, '..');

const program = await buildProgram({ runner: () => async () => {} });
const pages = [...manPages(), ...formats()];
const wanted = new Map([...pages, await manifest(pages), ...completionScripts(), await programHelp()]);
const orphans = (await existingFiles()).filter((path) => !wanted.has(path));
const changed = await findChanged(wanted);

if (process.argv.includes('--check')) {
  const wrong = [...changed, ...orphans];
  if (wrong.length > 0) {
    process.stderr.write(`Generated files are not current: ${wrong.join(', ')}. Run: npm run man\n`);
    process.exitCode = 1;
  }
} else {
  await mkdir(join(ROOT, 'completions'), { recursive: true });
  for (const path of changed) await writeFile(join(ROOT, path), wanted.get(path) ?? '');
  for (const path of orphans) await rm(join(ROOT, path));
}

/** Text by path relative to the project. */
function manPages(): [string, string][] {
  const commands = [program, ...descendants(program)];
  return commands.map((command) => [`man/${manPageName(command)}.1`, renderManPage(command, VERSION)]);
}

function formats(): [string, string][] {
  const page = formatsPage(program);
  return [
    [`man/${FORMATS_PAGE}.5`, renderFormatsPage(page, VERSION)],
    ['docs/formats.md', markdown('Formats', page)],
  ];
}

/** package.json with the list of all pages: npm links those that it lists, and no folder of them. */
async function manifest(files: readonly [path: string, text: string][]): Promise<[string, string]> {
  const fields = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
  const man = files.map(([path]) => path).filter((path) => path.startsWith('man/'));
  return ['package.json', `${JSON.stringify({ ...fields, man: man.toSorted() }, undefined, 2)}\n`];
}

function completionScripts(): [string, string][] {
  return SHELLS.map((shell) => [`completions/${SCRIPT_FILES[shell]}`, completionScript(shell, program)]);
}

/** What `skinsmith --help` prints, as a module: it is printed without building the command tree. */
async function programHelp(): Promise<[string, string]> {
  const bare = await buildProgram({ runner: () => async () => {}, words: ['--help'] });
  const text = bare
    .createHelp()
    .formatHelp(bare, new HelpPage())
    .replace(/[`\\]|\$\{/g, '\\$&');
  const comment = '/** The output of `skinsmith --help`, written by man/make.ts. */';
  return ['src/cli/help/program-help.ts', `${comment}\nexport const PROGRAM_HELP = \`${text}\`;\n`];
}

async function existingFiles(): Promise<string[]> {
  const pages = (await readdir(join(ROOT, 'man'))).filter((name) => /\.[15]$/.test(name));
  const scripts = await readdir(join(ROOT, 'completions')).catch(() => []); // missing before the first run
  return [...pages.map((name) => `man/${name}`), ...scripts.map((name) => `completions/${name}`)];
}

function descendants(command: Command): Command[] {
  return shownCommands(command).flatMap((child) => [child, ...descendants(child)]);
}

async function findChanged(files: ReadonlyMap<string, string>): Promise<string[]> {
  const changed = [];
  for (const [path, text] of files) {
    if ((await readIfThere(join(ROOT, path))) !== text) changed.push(path);
  }
  return changed;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
