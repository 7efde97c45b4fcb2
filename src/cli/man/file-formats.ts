import type { LockEntry } from '../../batch/lockfile/entries.ts';
import { IGNORE_FILE } from '../../batch/sources/ignore-rules.ts';
import type { Column } from '../../batch/sources/rows.ts';
import { FORMAT_MEANINGS } from '../output/formats/names.ts';
import { rows, type Section, text } from './document.ts';

const LIST_COLUMNS: Readonly<Record<Column, string>> = {
  source:
    'a path, URL, player, UUID or skin data; a relative path is looked for in the current folder, then in that of the list',
  name: 'name of the skin',
  variant: 'auto, classic or slim, or what others call them: steve, wide, default, alex',
  model: 'the same as variant',
  visibility: 'public, unlisted or private',
};

const LOCK_FIELDS: { readonly [Name in keyof Required<LockEntry>]: string } = {
  source:
    'path from the folder of the lockfile, URL, user: and a UUID, bytes: and a hash for a picture from stdin, ' +
    'value: and a digest for skin data, or skin: and a UUID for a skin of the service',
  pixels: 'hash of the pixels of the source',
  options: 'the variant, visibility and cape that were asked for',
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
  key: 'fingerprint of the key that signed; absent if the game signed',
  signer: 'who signed: game, embedded, the address of a service, or unproved',
  digest: 'digest of the entry; a damaged entry is refused',
};

/** The files that skinsmith reads and writes. */
export const FILE_FORMATS: readonly Section[] = [
  {
    title: 'Output formats (--format)',
    blocks: [
      text('Several formats are separated by commas: each skin is then written once in each.'),
      rows(['format', 'content'], Object.entries(FORMAT_MEANINGS)),
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
        'A list without sources is no error: there is nothing to do, and the exit status is 0. A folder',
        'without PNG files is one, because it is probably the wrong folder.',
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
        'an interrupted batch go on without making a skin twice.',
      ),
    ],
  },
];
