import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS } from '../../src/protocol/errors.ts';
import { describeApi } from '../../src/server/http/openapi.ts';
import { ROUTES } from '../../src/server/http/routes/routes.ts';
import { DEVIATIONS, OTHER_WORDS } from '../../test/support/contract/deviations.ts';
import {
  ABOUT_CODES,
  ALL_OF_V1,
  DIFFERENCES,
  HOSTED_CODES,
  MORE_OF_V2,
  NO_ENDPOINT,
  NO_FIELD,
} from './hosted.ts';
import { HOSTED_CODES_OF } from './hosted-codes.ts';
import { answerFields, bodyFields, type Description, type Operation } from './schema-fields.ts';
import { ANYWHERE, SEEN_CODES } from './seen-codes.ts';

const PUBLISHED_FILE = join(import.meta.dirname, '../../test/fixtures/openapi/published-v2.json');

/** docs/compatibility.md. @throws Error when something differs and nobody has said why */
export async function writeDocument(): Promise<string> {
  const own = JSON.parse(JSON.stringify(await describeApi(ROUTES))) as Description;
  const published = JSON.parse(await readFile(PUBLISHED_FILE, 'utf8')) as Description;
  const ours = operationsOf(own);
  const theirs = operationsOf(published);
  const v2 = [...theirs.keys(), ...MORE_OF_V2];
  verifyFacts(ours, [...v2, ...ALL_OF_V1]);
  return [
    INTRODUCTION,
    '## Version 2: endpoints',
    endpointTable(v2, ours),
    '## Version 2: fields',
    'Fields of the good answers and of bodies, as both descriptions list them. `+` stands before fields that only skinsmith has, `−` before those that only the hosted service has.',
    fieldTable({ own, ours, published, theirs }),
    'Where answers are otherwise than the published file says, and tests hold them against another of its answers:',
    deviationTable(),
    'What answers have where the published file has something else, or nothing:',
    otherWordsTable(),
    '## Version 1: endpoints',
    endpointTable(ALL_OF_V1, ours),
    '## What differs deliberately',
    differenceTable(),
    '## Error codes',
    codeTable(),
    '## Error codes by endpoint',
    `Codes that tests of the service got as the first error of a refusal (\`npm run compatibility:codes\`), and those that the source of the hosted service names for the same endpoint; each test fails on a code that is not listed here. Any endpoint of either service may answer with ${ANYWHERE.map((code) => `\`${code}\``).join(', ')}.`,
    endpointCodeTable([...v2, ...ALL_OF_V1], ours),
    '## Endpoints of our own',
    listOf(
      [...ours.keys()].filter((name) => !knows([...v2, ...ALL_OF_V1], name) && !name.startsWith('HEAD ')),
    ),
    '',
  ].join('\n\n');
}

const INTRODUCTION = `# Compatibility with the hosted service

Made by \`npm run compatibility\`; \`test/docs/compatibility.test.ts\` fails when it is not current. Do not edit it by hand.

It compares what skinsmith describes in \`/openapi.json\` with the published contract of the hosted service
(\`test/fixtures/openapi/published-v2.json\`) and with what the published source of its server shows. Every answer
that a server test gets is held against both descriptions (\`test/support/contract/\`). *Same* means that they agree,
no difference is known, and \`test/docs/compatibility/same.test.ts\` got such an answer from a running service.`;

/** By method and address, like `GET /v2/skins/{uuid}`. */
type Operations = ReadonlyMap<string, Operation>;

function operationsOf({ paths }: Description): Operations {
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
      ),
    ),
  );
}

/** Places in an address have other names in other descriptions. */
function shapeOf(name: string): string {
  return name.replaceAll(/\{\w+\}/g, '{}');
}

function knows(names: Iterable<string>, name: string): boolean {
  return [...names].some((one) => shapeOf(one) === shapeOf(name));
}

function verifyFacts(ours: Operations, all: readonly string[]): void {
  for (const name of Object.keys(NO_ENDPOINT)) {
    if (!all.includes(name)) throw new Error(`${name} is excused, but the hosted service does not have it.`);
    if (knows(ours.keys(), name)) throw new Error(`${name} is excused, but it is there.`);
  }
  for (const name of Object.keys(DIFFERENCES)) {
    if (!all.includes(name) || !knows(ours.keys(), name))
      throw new Error(`${name} differs, but is not in both.`);
  }
}

/** The endpoints that the document calls the same, by method and address. */
export async function sameEndpoints(): Promise<string[]> {
  const lines = (await writeDocument()).split('\n');
  return lines.flatMap((line) => /^\| `(.*)` \| Same \|$/.exec(line)?.[1] ?? []);
}

function endpointTable(names: readonly string[], ours: Operations): string {
  return table(
    ['Endpoint', 'Here'],
    names.map((name) => [`\`${name}\``, standingOf(name, ours)]),
  );
}

function standingOf(name: string, ours: Operations): string {
  if (DIFFERENCES[name]) return 'Deliberately different: see below';
  if (knows(ours.keys(), name)) return 'Same';
  const reason = NO_ENDPOINT[name];
  if (reason === undefined) throw new Error(`${name} is not there, and nobody has said why.`);
  return `Not there. ${reason}`;
}

interface Both {
  readonly own: Description;
  readonly ours: Operations;
  readonly published: Description;
  readonly theirs: Operations;
}

function fieldTable({ own, ours, published, theirs }: Both): string {
  const rows = [...theirs].flatMap(([name, operation]) => {
    const mine = ours.get([...ours.keys()].find((one) => shapeOf(one) === shapeOf(name)) ?? '');
    if (!mine) return [];
    const asked = compareFields(`${name} body`, bodyFields(own, mine), bodyFields(published, operation));
    const told = compareFields(name, answerFields(own, mine), answerFields(published, operation));
    return [
      [`\`${name}\` answer`, ...told],
      ...(operation.requestBody ? [[`\`${name}\` body`, ...asked]] : []),
    ];
  });
  return table(['Of', 'Same', 'Different'], rows);
}

/** Fields that both have, and the others. @throws Error for one that is missing without a reason */
function compareFields(of: string, mine: ReadonlySet<string>, theirs: ReadonlySet<string>): string[] {
  const both = [...theirs].filter((field) => hasField(mine, field));
  const added = [...mine].filter((field) => !theirs.has(field)).map((field) => `+ \`${field}\``);
  const missing = [...theirs]
    .filter((field) => !hasField(mine, field))
    .map((field) => {
      const reason = NO_FIELD[field];
      if (reason === undefined) throw new Error(`${of} has no ${field}, and nobody has said why.`);
      return `− \`${field}\`: ${reason}`;
    });
  const same = both.toSorted().map((field) => `\`${field}\``);
  return [same.join(', '), [...missing.toSorted(), ...added.toSorted()].join('<br>')];
}

/** Where any name will do, all names are there. */
function hasField(fields: ReadonlySet<string>, field: string): boolean {
  return fields.has(field) || fields.has(field.replace(/[^.]+$/, '*'));
}

function deviationTable(): string {
  const rows = DEVIATIONS.map(({ operation, statuses, reason }) => [
    operation === undefined ? 'all' : `\`${operation}\``,
    statuses.join(', '),
    reason,
  ]);
  return table(['Of', 'Status', 'Why'], rows);
}

function otherWordsTable(): string {
  const rows = OTHER_WORDS.map(({ here, published, reason }) => [
    `\`${here}\``,
    published === '' ? 'nothing' : `\`${published}\``,
    reason,
  ]);
  return table(['Here', 'Published', 'Why'], rows);
}

function differenceTable(): string {
  const rows = Object.entries(DIFFERENCES).map(
    ([
      name,
      {
        hosted,
        here,
        why,
        shown: [file, title],
      },
    ]) => [`\`${name}\``, hosted, here, why, `\`${file}\` “${title}”`],
  );
  return table(['Endpoint', 'Hosted', 'Here', 'Why', 'Shown by'], rows);
}

function codeTable(): string {
  const hosted: readonly string[] = HOSTED_CODES;
  const here = Object.entries(ERRORS).map(([code, { status }]) => [
    `\`${code}\``,
    String(status),
    hosted.includes(code) ? 'In both' : 'Only here',
    aboutCode(code, hosted.includes(code)),
  ]);
  const missing = hosted
    .filter((code) => !Object.hasOwn(ERRORS, code))
    .map((code) => [`\`${code}\``, '', 'Not there', aboutCode(code, false)]);
  return table(['Code', 'Status', 'Here', 'Note'], [...here, ...missing]);
}

/** The endpoints that both services have, if anything but the common codes is known of them. */
function endpointCodeTable(names: readonly string[], ours: Operations): string {
  const rows = names
    .filter((name) => knows(ours.keys(), name))
    .map((name) => {
      const seen = seenCodes(name);
      const hosted = HOSTED_CODES_OF[name]?.filter((code) => !ANYWHERE.includes(code));
      const isV1 = hosted === undefined && !name.includes(' /v2/');
      return [
        `\`${name}\``,
        codeList(hosted ? seen.filter((code) => hosted.includes(code)) : []),
        isV1 ? '' : codeList((hosted ?? []).filter((code) => !seen.includes(code))),
        codeList(seen.filter((code) => !hosted?.includes(code))),
      ];
    })
    .filter(([, ...codes]) => codes.some((cell) => cell !== ''));
  return table(['Endpoint', 'In both', 'Only hosted', 'Only seen here'], rows);
}

function seenCodes(name: string): readonly string[] {
  const [method = '', path = ''] = name.split(' ');
  const operation = `${method.toLowerCase()} ${path}`;
  const key = Object.keys(SEEN_CODES).find((known) => shapeOf(known) === shapeOf(operation));
  return key === undefined ? [] : (SEEN_CODES[key] ?? []);
}

function codeList(codes: readonly string[]): string {
  return codes
    .toSorted()
    .map((code) => `\`${code}\``)
    .join(', ');
}

function aboutCode(code: string, isShared: boolean): string {
  const note = ABOUT_CODES[code];
  if (note === undefined && !isShared)
    throw new Error(`Nobody has said why ${code} is not in both services.`);
  return note ?? '';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function listOf(names: readonly string[]): string {
  return names.map((name) => `- \`${name}\``).join('\n');
}
