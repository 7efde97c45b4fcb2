import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownFolder } from '../server/own-folder.ts';

/**
 * A stand-in for pg_restore, which npm does not bring: it answers as version 15 did to dumps that were good, cut off,
 * without data, of other databases and of a newer pg_dump. A dump for it is `PGDMP`, a line of JSON and `END`.
 */
const PROGRAM = `#!${process.execPath}
const text = require('node:fs').readFileSync(process.argv.at(-1), 'utf8');
const fail = (why) => { console.error('pg_restore: error: ' + why); process.exit(1); };
const [, head, end] = text.split('\\n');
if (!head?.endsWith('}')) fail('could not read from input file: end of file');
const { version, filled = [], empty = [], meta = '' } = JSON.parse(head);
if (version) fail('unsupported version (' + version + ') in file header');
if (process.argv.includes('--list')) {
  for (const name of [...filled, ...empty]) console.log('214; 1259 16384 TABLE public ' + name + ' postgres');
  for (const name of filled) console.log('3573; 0 16384 TABLE DATA public ' + name + ' postgres');
} else if (process.argv.includes('--table=meta')) {
  console.log('COPY public.meta (key, value) FROM stdin;\\n' + meta + '\\n\\\\.');
} else if (end !== 'END') fail('could not read from input file: end of file');
`;

export interface StandInDump {
  readonly version?: string;
  /** Tables with their rows, and without them. */
  readonly filled?: readonly string[];
  readonly empty?: readonly string[];
  /** What COPY prints of the table meta. */
  readonly meta?: string;
}

export function dumpText(dump: StandInDump): string {
  return `PGDMP\n${JSON.stringify(dump)}\nEND`;
}

/** A folder for the PATH. */
export async function pgRestoreFolder(): Promise<string> {
  const folder = await ownFolder();
  await writeFile(join(folder, 'pg_restore'), PROGRAM, { mode: 0o755 });
  return folder;
}
