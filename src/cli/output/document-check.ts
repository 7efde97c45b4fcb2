import { isTooDeep } from '../../base/text.ts';
import { snbtIn } from '../../batch/sources/snbt.ts';
import type { Format } from './formats.ts';

/** What is wrong with a document, as the end of a sentence about it; undefined: nothing. */
export type DocumentCheck = (text: string) => string | undefined;

/** The same for what a format makes. */
export type FormatCheck = (text: string, format: Format) => string | undefined;

/** Characters of the largest document in YAML that is checked: some 10,000 skins. */
const LARGEST_YAML = 16 * 1024 * 1024;

/** The check of files with an extension; undefined if they are in no notation that is checked. */
export async function documentCheckFor(extension: string): Promise<DocumentCheck | undefined> {
  if (extension.endsWith('.json')) return jsonFault;
  if (extension.endsWith('.snbt')) return snbtFault;
  return /\.ya?ml$/.test(extension) ? await yamlCheck() : undefined;
}

function jsonFault(text: string): string | undefined {
  if (isTooDeep(text)) return 'is nested too deep for JSON';
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** As the value of a field: whatever followed it would be read as something else. */
function snbtFault(text: string): string | undefined {
  const [read] = snbtIn(`{document:${text}\n,end:end}`) ?? [];
  const fields = Object.entries((read ?? {}) as Readonly<Record<string, unknown>>);
  return fields.length === 2 && fields[1]?.[1] === 'end' ? undefined : 'is not valid SNBT';
}

async function yamlCheck(): Promise<DocumentCheck> {
  const { isScalar, parseDocument, visit } = await import('yaml'); // loaded on demand: the parser is large
  return (text) => {
    if (text.length > LARGEST_YAML) return 'is too large to be checked as YAML';
    // Its own search for equal keys compares every key with every other.
    const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' });
    const [error] = document.errors;
    if (error) return `is not valid YAML in line ${lineAt(text, error.pos[0])}: ${error.message}`;
    let fault: string | undefined;
    visit(document, {
      Map: (_, { items }) => {
        const seen = new Set<string>();
        for (const { key } of items) {
          const name = isScalar(key) ? String(key.value) : undefined;
          if (name === undefined || !seen.has(name)) seen.add(name ?? '');
          else fault ??= `is not valid YAML: it has ${name} twice`;
        }
        return fault === undefined ? undefined : visit.BREAK;
      },
    });
    return fault;
  };
}

function lineAt(text: string, end: number): number {
  return text.slice(0, end).split('\n').length;
}
