/**
 * Generates files from the command tree: manual pages and completion scripts, which are not in git (`node
 * man/make.ts`, part of the build); with `--documents`, also those in git: docs/formats.md, docs/scenario.schema.json, tables of
 * help topics in docs/sources.md and docs/signers.md, the list of pages in package.json and the text of `skinsmith --help`. `--check` fails if one of those is not current.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { VERSION } from '../src/base/version.ts';
import { SCRIPT_FILES, SCRIPTS, SHELLS } from '../src/cli/commands/completion.ts';
import { HelpPage, shownCommands } from '../src/cli/help/help-page.ts';
import { FORMATS_PAGE, formatsPage } from '../src/cli/man/formats-page.ts';
import { manPageName, renderFormatsPage, renderManPage } from '../src/cli/man/man-page.ts';
import { markdown, markdownBlock, rows } from '../src/cli/man/sections.ts';
import { AUDIENCES, SOURCE_EXAMPLES } from '../src/cli/man/topic-pages.ts';
import { buildProgram } from '../src/cli/program.ts';
import { scenarioJsonSchema } from '../src/double/scenario.ts';

const ROOT = join(import.meta.dirname, '..');

const program = await buildProgram({ runner: () => async () => {} });
const format = formatsPage(program);
const pages = [...manPages(), [`man/${FORMATS_PAGE}.5`, renderFormatsPage(format, VERSION)] as const];
const documents = [
  ['docs/formats.md', markdown('Formats', format)] as const,
  ['docs/scenario.schema.json', `${JSON.stringify(scenarioJsonSchema(), undefined, 2)}\n`] as const,
  await withTable('docs/sources.md', markdownBlock(rows(['example', 'source'], SOURCE_EXAMPLES))),
  await withTable('docs/signers.md', markdownBlock(rows(['you use', 'who will see it'], AUDIENCES))),
  await manifest(pages.map(([path]) => path)),
  await programHelp(),
];

if (process.argv.includes('--check')) await checkDocuments();
else {
  await removeMade();
  await write([...pages, ...completionScripts()]);
  if (process.argv.includes('--documents')) await write(documents);
}

async function checkDocuments(): Promise<void> {
  const stale = [];
  for (const [path, text] of documents)
    if ((await readFile(join(ROOT, path), 'utf8')) !== text) stale.push(path);
  if (stale.length === 0) return;
  process.stderr.write(`Generated files are not current: ${stale.join(', ')}. Run: npm run man\n`);
  process.exitCode = 1;
}

/** Commands may have been removed since the last build. */
async function removeMade(): Promise<void> {
  await rm(join(ROOT, 'completions'), { recursive: true, force: true });
  for (const name of await readdir(join(ROOT, 'man')))
    if (/\.[15]$/.test(name)) await rm(join(ROOT, 'man', name));
}

async function write(files: readonly (readonly [path: string, text: string])[]): Promise<void> {
  await mkdir(join(ROOT, 'completions'), { recursive: true });
  for (const [path, text] of files) await writeFile(join(ROOT, path), text);
}

/** Text by path relative to the project. */
function manPages(): [string, string][] {
  const commands = [program, ...descendants(program)];
  return commands.map((command) => [`man/${manPageName(command)}.1`, renderManPage(command, VERSION)]);
}

/** package.json with the list of all pages, because npm links single files and not folders. */
async function manifest(man: readonly string[]): Promise<[string, string]> {
  const fields = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
  return ['package.json', `${JSON.stringify({ ...fields, man: man.toSorted() }, undefined, 2)}\n`];
}

/** A document with the table of a help topic between its marks. */
async function withTable(path: string, table: string): Promise<[string, string]> {
  const text = await readFile(join(ROOT, path), 'utf8');
  const marked = /(?<=<!-- made by man\/make.ts -->\n).*?(?=<!-- end -->)/s;
  if (!marked.test(text)) throw new Error(`${path} has no place for its table.`);
  return [path, text.replace(marked, () => `${table}\n`)];
}

function completionScripts(): [string, string][] {
  return SHELLS.map((shell) => [`completions/${SCRIPT_FILES[shell]}`, SCRIPTS[shell]]);
}

/** The output of `skinsmith --help` as a module, so that printing it does not build the command tree. */
async function programHelp(): Promise<[string, string]> {
  const bare = await buildProgram({ runner: () => async () => {}, words: ['--help'] });
  const text = bare
    .createHelp()
    .formatHelp(bare, new HelpPage())
    .replace(/[`\\]|\$\{/g, '\\$&');
  const comment = '/** The output of `skinsmith --help`, written by man/make.ts. */';
  return ['src/cli/help/program-help.ts', `${comment}\nexport const PROGRAM_HELP = \`${text}\`;\n`];
}

function descendants(command: Command): Command[] {
  return shownCommands(command).flatMap((child) => [child, ...descendants(child)]);
}
