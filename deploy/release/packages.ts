import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { VERSION } from '../../src/base/version.ts';
import { NODE, ROOT } from './executable.ts';

/** What goes with the files of a release: checksums, the bill of materials, and the recipes of package managers. */

const TEMPLATES = join(import.meta.dirname, 'templates');
/** What the release has for people to download, besides what is made here. */
const DOWNLOAD = /^skinsmith[-_].*\.(?:tar\.xz|zip|deb|tgz)$/;

/** Replaces `@NAME@`. @throws Error for a name without a value */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/@([A-Z][A-Z0-9_]*)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`There is no value for @${name}@.`);
    return value;
  });
}

/**
 * Finishes a folder with the downloads of a release. `isWhole`: all downloads must be there; otherwise a recipe that names
 * one that is not there is left out. Returns the names of those left out.
 */
export async function finishRelease(release: string, isWhole: boolean): Promise<string[]> {
  const sums = await checksums(release);
  await writeFile(join(release, `skinsmith-${VERSION}.cdx.json`), await billOfMaterials());
  await cp(join(ROOT, 'deploy/install.sh'), join(release, 'install.sh'));
  const left = await writeRecipes(join(release, 'packages'), sums, isWhole);
  const all = [...sums, ...(await checksums(release, /\.cdx\.json$|^install\.sh$/))];
  await writeFile(join(release, 'SHA256SUMS'), all.map(([name, sum]) => `${sum}  ${name}\n`).join(''));
  return left;
}

/** In hexadecimal, by the name of the file. */
async function checksums(folder: string, pattern = DOWNLOAD): Promise<Map<string, string>> {
  const sums = new Map<string, string>();
  for (const name of (await readdir(folder)).filter((file) => pattern.test(file)).sort()) {
    const sum = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), sum);
    sums.set(name, sum.digest('hex'));
  }
  return sums;
}

async function writeRecipes(
  folder: string,
  sums: ReadonlyMap<string, string>,
  isWhole: boolean,
): Promise<string[]> {
  const values = recipeValues(sums);
  const left: string[] = [];
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(TEMPLATES)) {
    const template = await readFile(join(TEMPLATES, name), 'utf8');
    const lacks = [...template.matchAll(/@([A-Z][A-Z0-9_]*)@/g)].some(([, word = '']) => !(word in values));
    if (lacks && !isWhole) left.push(name);
    else await writeFile(join(folder, name), fill(template, values));
  }
  return left;
}

/** `SHA256_LINUX_X64` and so on, from the names of the downloads. */
function recipeValues(sums: ReadonlyMap<string, string>): Record<string, string> {
  const values: Record<string, string> = { VERSION };
  for (const [name, sum] of sums) {
    const rest = name.replace(`skinsmith-${VERSION}`, '');
    const [, target] = /^-([\w-]+)\.(?:tar\.xz|zip)$/.exec(rest) ?? [];
    if (target) values[`SHA256_${target.toUpperCase().replaceAll('-', '_')}`] = sum;
    if (rest === '.tgz') values['SHA256_NPM'] = sum;
  }
  return values;
}

/** The packages in the program, and the Node that an executable has besides. */
async function billOfMaterials(): Promise<string> {
  const bill = JSON.parse(await readFile(join(ROOT, 'dist/bill-of-materials.cdx.json'), 'utf8'));
  const purl = `pkg:github/nodejs/node@v${NODE}`;
  const node = { type: 'platform', name: 'node', version: NODE, purl, 'bom-ref': purl };
  return `${JSON.stringify({ ...bill, components: [node, ...bill.components] }, null, 2)}\n`;
}

/** What CHANGELOG.md says about a version. @throws Error if it says nothing */
export function notesOf(version: string, changelog: string): string {
  const heading = `\n## [${version}]`;
  const start = changelog.indexOf(heading);
  const end = changelog.indexOf('\n## [', start + 1);
  const section = start < 0 ? '' : changelog.slice(start + 1, end < 0 ? undefined : end);
  const notes = section
    .replace(/^.*\n/, '')
    .replace(/^\[[^\]]+\]: .*\n/gm, '')
    .trim();
  if (notes === '') throw new Error(`CHANGELOG.md says nothing about ${version}.`);
  return `${notes}\n`;
}
