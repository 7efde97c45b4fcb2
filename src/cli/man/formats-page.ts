import type { Command } from 'commander';
import { SUMMARY_FIELDS } from '../batch/summary-output.ts';
import { EXIT_STATUSES } from '../errors/exit.ts';
import { commandFormats } from './command-formats.ts';
import { rows, type Section, text } from './document.ts';
import { FILE_FORMATS } from './file-formats.ts';

export const FORMATS_PAGE = 'skinsmith-formats';

const OUTPUT: Section = {
  title: 'Output',
  blocks: [
    text(
      'Data goes to stdout, everything else to stderr. On a terminal, output is for people and may change.',
      'In a pipe, it is rows of columns that are separated by tabs, without a header; nothing is cut.',
      'With --json, it is one JSON document, on a terminal as in a pipe; with --ndjson, where a command',
      'has it, one object per line as each result arrives.',
    ),
    text(
      'New columns are added at the end, and the names of JSON fields do not change. Absent values are',
      'empty columns; in JSON they are left out. Times are in ISO 8601 and in UTC. UUIDs are',
      '32 hexadecimal digits, those of capes with dashes.',
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
    text('The answer 429 of a service is not an error: skinsmith waits and tries again.'),
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
