/**
 * Writes the manual pages from the command tree: `node man/make.ts`. With `--check` it writes nothing and
 * fails when a page is not what the tree says, is missing, or has no command.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { manPageName, renderManPage } from '../src/cli/output/man-page.ts';
import { buildProgram } from '../src/cli/program.ts';
import { VERSION } from '../src/version.ts';

const FOLDER = import.meta.dirname;

const wanted = await renderPages();
const there = (await readdir(FOLDER)).filter((name) => name.endsWith('.1'));
const orphans = there.filter((name) => !wanted.has(name));
const changed = await findChanged(wanted);

if (process.argv.includes('--check')) {
  const wrong = [...changed, ...orphans];
  if (wrong.length > 0) {
    process.stderr.write(`Manual pages are not current: ${wrong.join(', ')}. Run: npm run man\n`);
    process.exitCode = 1;
  }
} else {
  for (const name of changed) await writeFile(join(FOLDER, name), wanted.get(name) ?? '');
  for (const name of orphans) await rm(join(FOLDER, name));
}

async function renderPages(): Promise<Map<string, string>> {
  const program = await buildProgram({ runner: () => async () => {} });
  const commands = [program, ...descendants(program)];
  return new Map(commands.map((command) => [`${manPageName(command)}.1`, renderManPage(command, VERSION)]));
}

function descendants(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...descendants(child)]);
}

async function findChanged(pages: ReadonlyMap<string, string>): Promise<string[]> {
  const changed = [];
  for (const [name, text] of pages) {
    if ((await readIfThere(join(FOLDER, name))) !== text) changed.push(name);
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
