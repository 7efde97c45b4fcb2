import type { Command } from 'commander';
import type { LockEntry } from '../../batch/lockfile/entries.ts';
import { IGNORE_FILE } from '../../batch/sources/ignore-rules.ts';
import type { Column } from '../../batch/sources/rows.ts';
import { SUMMARY_FIELDS } from '../batch/summary.ts';
import { ENVIRONMENT } from '../config/settings.ts';
import { EXIT_STATUSES } from '../errors/exit.ts';
import { describedRows, shownCommands, type TopicName } from '../help/help-page.ts';
import { type CommandOutput, type FieldTable, type JsonOutput, outputOf } from '../output/described.ts';
import { TEMPLATES } from '../output/plugin-templates.ts';
import { FILE_FIELDS, FILTER_MEANINGS } from '../output/templates.ts';
import { INTO_FIELDS } from '../plugins/into-plugin.ts';
import { type Block, plainText, rows, type Section, type TermRow, text } from './sections.ts';
import { AUDIENCE_TOPIC, FORMAT_ROWS, FORMATS_TOPIC, SOURCES_TOPIC } from './topic-pages.ts';

export const FORMATS_PAGE = 'skinsmith-formats';

const OUTPUT: Section = {
  title: 'Output',
  blocks: [
    text(
      'Data goes to stdout, everything else to stderr. On a terminal, output is for people and may change.',
      'In a pipe, it has tab-separated columns, without a header; nothing is shortened.',
      'With --json, it is one JSON document, on a terminal as in a pipe; with --ndjson, in commands that',
      'have it, one object per line as each result arrives.',
    ),
    text(
      'New columns are added at the end, and the names of JSON fields do not change. Absent values are',
      'empty columns; in JSON they are left out. Times are in ISO 8601 and in UTC, durations in seconds. UUIDs are',
      '32 hexadecimal digits, those of capes and jobs with dashes. A name means the same everywhere: `uuid` is the UUID of what',
      'the command is about, or `id` its ID if it has no UUID; for jobs and results, `job` is the ID of the job and',
      '`uuid` the UUID of the skin.',
    ),
  ],
};

const ERRORS: Section = {
  title: 'Errors',
  blocks: [
    text('With --json, an error is one line of JSON on stderr: an object with the field "error", which has:'),
    rows(
      ['field', 'meaning'],
      [
        ['code', 'code of the error'],
        ['message', 'what went wrong'],
        ['hint', 'what to do about it'],
      ],
    ),
    text('A 429 answer from a service is not an error: skinsmith waits and tries again.'),
  ],
};

const SUMMARY: Section = {
  title: 'Summary of a batch',
  blocks: [
    text(
      'With --json, generate and queue end with one line of JSON on stderr if there are several sources: an',
      'object with the field "summary", which has:',
    ),
    rows(['field', 'meaning'], Object.entries(SUMMARY_FIELDS)),
    text(
      'With --into, another line follows, also with --dry-run: an object with the field "into", which has:',
    ),
    rows(['field', 'meaning'], Object.entries(INTO_FIELDS)),
  ],
};

const EXIT_STATUS: Section = {
  title: 'Exit status',
  blocks: [
    rows(
      ['status', 'meaning'],
      Object.values(EXIT_STATUSES).map(({ status, meaning }) => [String(status), meaning]),
    ),
  ],
};

/** The reference of everything that programs read from skinsmith or write for it. `program`: fully loaded. */
export function formatsPage(program: Command): readonly Section[] {
  return [
    OUTPUT,
    { title: 'Output of each command', blocks: commandFormats(program) },
    ERRORS,
    SUMMARY,
    EXIT_STATUS,
    ...FILE_FORMATS,
  ];
}

/** Commands that print the same thing. */
interface Printed {
  /** The one that comes first in the tree. */
  readonly output: CommandOutput;
  readonly commands: readonly { readonly name: string; readonly shape: JsonOutput['shape'] | undefined }[];
}

/** The columns and JSON fields of every command, as declared by the commands. */
function commandFormats(program: Command): Block[] {
  return printedBy(program).flatMap((printed) => [
    { kind: 'heading', text: printed.commands.map(({ name }) => name).join(', ') } as const,
    ...describe(printed),
  ]);
}

function printedBy(program: Command): Printed[] {
  const all = commandsBelow(program).flatMap(({ path, command }) =>
    outputOf(command).map((output) => ({ name: [path, output.mode].filter(Boolean).join(' '), output })),
  );
  const groups = Map.groupBy(all, ({ output: { json, columns } }) => contentOf(json) ?? columns);
  return [...groups.values()].map((group) => ({
    output: group[0]!.output,
    commands: group.map(({ name, output: { json } }) => ({ name, shape: json?.shape })),
  }));
}

/** Outputs that share their fields are the same. */
function contentOf(json: JsonOutput | undefined): unknown {
  if (json === undefined) return undefined;
  return 'fields' in json ? json.fields : json;
}

function commandsBelow(parent: Command, path = ''): { path: string; command: Command }[] {
  return shownCommands(parent).flatMap((command) => {
    const own = `${path} ${command.name()}`.trimStart();
    return [{ path: own, command }, ...commandsBelow(command, own)];
  });
}

function describe({ output, commands }: Printed): Block[] {
  const { columns, columnMeanings = {}, json } = output;
  const extra = Object.entries(columnMeanings);
  return [
    ...(columns ? [text(`Columns: ${Object.keys(columns).join(', ')}.`)] : []),
    ...(extra.length > 0 ? [rows(['column', 'meaning'], extra)] : []),
    ...(json ? [text(`JSON: ${shapes(commands)}.`)] : []),
    ...(json?.shape === 'value' ? [text(`The value: ${json.about}.`)] : []),
    ...(json && 'fields' in json ? [rows(['JSON field', 'meaning'], fieldRows(json.fields))] : []),
  ];
}

const SHAPES: Readonly<Record<JsonOutput['shape'], string>> = {
  object: 'an object',
  list: 'a list of objects',
  'object or list': 'an object, or a list of objects for several arguments',
  lines: 'an object per line',
  value: 'a bare value',
};

/** `an object; from users list, a list of objects`. */
function shapes(commands: Printed['commands']): string {
  const groups = [...Map.groupBy(commands, ({ shape }) => shape)].flatMap(([shape, group]) =>
    shape === undefined ? [] : [{ said: SHAPES[shape], names: group.map(({ name }) => name).join(', ') }],
  );
  return groups.map(({ said, names }, index) => (index === 0 ? said : `from ${names}, ${said}`)).join('; ');
}

/** Nested fields have dotted names: `texture.url`. */
function fieldRows(fields: FieldTable, path = ''): TermRow[] {
  return Object.entries(fields).flatMap(([name, field]): TermRow[] => {
    const own = `${path}${name}`;
    if (typeof field === 'string') return [[own, field]];
    return [[own, field.about], ...fieldRows(field.fields ?? {}, `${own}.`)];
  });
}

const LIST_COLUMNS: Readonly<Record<Column, string>> = {
  source:
    "a path, URL, player, UUID or skin data; relative paths start at the current folder, else at the list's folder",
  name: 'name of the skin',
  variant: 'auto, classic or slim, or their other names: steve, wide, default, alex',
  model: 'the same as variant',
  visibility: 'public, unlisted or private',
  cape: 'for skinsmith pack: path or URL of a picture of 64×32 pixels or a multiple',
  elytra: 'the same for elytra',
};

const LOCK_FIELDS: { readonly [Name in keyof Required<LockEntry>]: string } = {
  source:
    'path from the folder of the lockfile, URL, user: and a UUID, bytes: and a hash for a picture from stdin, ' +
    '`value:DIGEST` for skin data, `skin:UUID` for a skin of the service, or bedrock: and an XUID or gamertag',
  pixels: 'hash of the pixels of the source',
  options: 'the requested variant, visibility and cape',
  uuid: 'UUID of the skin',
  record:
    'the list that names the source, and the output files written for it: an object with list and outputs, each ' +
    'output with its name and files; paths begin at the folder of the lockfile',
  name: 'name of the skin',
  variant: 'classic or slim',
  visibility: 'public, unlisted or private',
  value: 'the texture value, in base64',
  signature: 'the signature of the value, in base64',
  texture: 'URL of the texture',
  hash: 'hash of the texture',
  service: 'address of the service that made the skin, or embedded',
  key: 'fingerprint of the key that signed; absent if Mojang signed',
  signer: 'who signed: game, embedded, the address of a service, or unproved (unknown signer)',
  digest: 'digest of the entry; a damaged entry is refused',
};

const FILE_FORMATS: readonly Section[] = [
  {
    title: 'Output formats (--format)',
    blocks: [
      text('Several formats are separated by commas: each skin is then written once in each.'),
      rows(['format', 'content'], FORMAT_ROWS),
      text(
        'template:FILE is a format of your own, or template: and the template itself. A field of the JSON output of',
        'generate is written as {{name}} or {{texture.url}}; everything else is literal. An absent field is empty.',
        'Templates have two more fields:',
      ),
      rows(['field', 'meaning'], Object.entries(FILE_FIELDS)),
      text('Filters change how a field is written, as in {{name|json}}; several may follow each other:'),
      rows(['filter', 'what it writes'], Object.entries(FILTER_MEANINGS)),
      text(
        'A template may have three parts, divided by two lines ---8<---: what stands once before all skins, what each',
        'skin gets, and what stands once after them. In the second part, {{separator:,}} writes the text after the',
        'colon between two skins. What such a template makes is checked if its extension is .json, .yml, .yaml or',
        '.snbt: the template itself before anything is made, and each file before it is written.',
      ),
      text(
        'The files have the extension of FILE without .tmpl, or .txt. If --out names a file, it gets all skins, in the',
        'order of the sources, and its lockfile is beside it: npcs.yml.lock. A template cannot be combined with other',
        `formats. The formats ${Object.keys(TEMPLATES).join(', ')} are made with the templates in the folder`,
        'examples/formats of the package.',
      ),
    ],
  },
  {
    title: 'Lists of sources (--from)',
    blocks: [
      text(
        'A list is text in UTF-8. Its first line that is not empty decides how it is read: a JSON object',
        'makes it NDJSON (one object per line), a header with the column "source" makes it CSV',
        '(separated by commas, semicolons or tabs), and anything else makes it plain lines with one',
        'source each. In plain lists, empty lines and lines that start with # are skipped.',
      ),
      rows(['column or field', 'meaning'], Object.entries(LIST_COLUMNS)),
      text(
        'Only source is required; other columns are ignored. An NDJSON line with value and signature is',
        'skin data, so the JSON output of skinsmith is a list too.',
      ),
      text(
        'A list without sources is not an error: there is nothing to do, and the exit status is 0. A folder',
        'without PNG files, and without skins of a plugin, is an error, because it is probably the wrong folder.',
      ),
    ],
  },
  {
    title: IGNORE_FILE,
    blocks: [
      text(
        'Patterns of files to skip when a folder is a source, one per line, with the syntax of .gitignore.',
        'Each folder may have such a file; it applies to that folder and to those below it. Patterns of',
        '--ignore come last and so have the final say.',
      ),
    ],
  },
  {
    title: 'skins.lock',
    blocks: [
      text(
        'The lockfile remembers the skins of a folder and is meant to be committed. It has one JSON object',
        'per line and source, sorted by source, with the fields in this order:',
      ),
      rows(['field', 'meaning'], Object.entries(LOCK_FIELDS)),
      text(
        'Absent fields are left out. To solve a merge conflict, keep the lines of both sides and delete the',
        'conflict markers; the next run makes what is missing.',
      ),
    ],
  },
  {
    title: 'Journal',
    blocks: [
      text(
        'The journal of a batch, in the data folder, is internal and may change with any version. It lets',
        'an interrupted batch continue without making a skin twice.',
      ),
    ],
  },
];

const TOPICS: Readonly<Record<TopicName, (width: number, program: Command) => string>> = {
  environment: (width) => describedRows('Environment variables:', ENVIRONMENT, width),
  'exit-status': (width) =>
    describedRows(
      'Exit statuses:',
      Object.values(EXIT_STATUSES).map(({ status, meaning }) => [String(status), meaning]),
      width,
    ),
  sources: (width) => plainText([SOURCES_TOPIC], width),
  formats: (width) => plainText([FORMATS_TOPIC], width),
  'who-sees-it': (width) => plainText([AUDIENCE_TOPIC], width),
  output: (width, program) => plainText(formatsPage(program), width),
};

/** Renders a topic in lines of at most `width` columns. `program`: fully loaded. */
export function topicText(name: TopicName, width: number, program: Command): string {
  return TOPICS[name](width, program);
}
