import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package, and the part of its licence that differs from others with the same words. */
interface Licensed {
  /** Name, version and kind of licence. */
  readonly title: string;
  /** The copyright lines. */
  readonly holders: readonly string[];
  /** All other lines. */
  readonly terms: string;
}

const RULE = '='.repeat(78);
const HOLDER = /^\s*(?:Copyright\b|\(c\)(?! You must)|©)/;
/** A heading that only names the licence. */
const HEADING = /^\W*(?:the )?mit licen[cs]e\W*(?:mit\W*)?$/im;

/** The licences of packages in these folders: texts that differ only in their copyright holders appear once. */
export function describeLicences(folders: readonly string[]): string {
  const groups = Map.groupBy(folders.map(readLicence), ({ terms }) => wordsOf(terms));
  return [...groups.values()].map(describeGroup).join('\n');
}

/** The packages in these folders as a bill of materials in the form of CycloneDX. */
export function describePackages(folders: readonly string[]): string {
  const components = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { type: 'library', name, version, purl, 'bom-ref': purl, licenses: [{ expression: license }] };
  });
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const component = { type: 'application', name, version, purl: `pkg:npm/${name}@${version}` };
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component },
    components,
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function readLicence(folder: string): Licensed {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const lines = licenceFiles(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8').split(/\r?\n/),
  );
  const holders = lines.filter((line) => HOLDER.test(line)).map((line) => line.trim());
  const terms = lines.filter((line) => !HOLDER.test(line)).join('\n');
  return {
    title: `${name} ${version} (${license})`,
    holders,
    terms: terms.replace(/\n{3,}/g, '\n\n').trim(),
  };
}

/** The package's own licence, and those of compiled code in its folders. */
function licenceFiles(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => /^licen[cs]e/i.test(file)).slice(0, 1);
  return [...own, ...files.filter((file) => /^codec\WLICENSE\.codec\.md$/.test(file))];
}

/** Ignores line breaks. */
function wordsOf(terms: string): string {
  return terms.replace(HEADING, '').replaceAll(/\s+/g, ' ').trim();
}

function describeGroup(group: readonly Licensed[]): string {
  const packages = group.map(({ title, holders }) => [title, ...holders].join('\n'));
  return `${RULE}\n${packages.join('\n\n')}\n\n${group[0]?.terms}\n`;
}
