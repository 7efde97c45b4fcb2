import { existsSync } from 'node:fs';
import { NEWEST_SCHEMA } from '../store/migrate.ts';
import { FIRST_SCHEMA } from '../store/schema/first-schema.ts';
import { type CopyFound, inspectCopy } from '../store/sqlite-copy.ts';
import { BackupError } from './backup-error.ts';
import { verifyChecksum } from './checksum.ts';
import { ABOUT, type About, aboutSchema, digestOf, ENCLOSED } from './data-files.ts';
import { asDump, dumpFormat } from './postgres-dump.ts';

export interface ReadBackup {
  readonly found: CopyFound;
  readonly about: About;
  /** SHA-256 of all of it, hexadecimal. */
  readonly digest: string;
}

/** What is in a backup, once it is sure that it can be used. @throws BackupError */
export async function readBackup(file: string): Promise<ReadBackup> {
  if (!existsSync(file)) throw new BackupError('backup_unreadable', `There is no file ${file}.`);
  const format = await dumpFormat(file).catch(() => undefined); // a file that cannot be read is told of below
  if (format) throw asDump(file, format);
  const checked = await unlessUnreadable(file, verifyChecksum(file));
  if (checked.kind === 'broken') throw damaged(file, 'its bytes are not those that were written');
  const found = await unlessUnreadable(file, inspectCopy(file));
  if (!found) throw new BackupError('backup_unreadable', `${file} is no backup made by skinsmith backup.`);
  if (found.schema !== undefined && found.schema > NEWEST_SCHEMA) {
    throw new BackupError('backup_too_new', `The backup ${file} was made by a newer skinsmith.`, {
      hint: 'Install the newer version.',
    });
  }
  if (found.schema !== undefined && found.schema < FIRST_SCHEMA) {
    throw new BackupError(
      'backup_too_old',
      `The backup ${file} was made by a development version of skinsmith before 0.1.0.`,
      { hint: 'No release can read it. Take a newer backup.' },
    );
  }
  if (found.fault !== undefined) throw damaged(file, found.fault);
  const about = readAbout(found.enclosures[ABOUT]);
  if (!about) throw damaged(file, 'it does not say what it is');
  const wrong = ENCLOSED.find((name) => !isAsMade(found.enclosures[name], about.files[name]));
  if (wrong) throw damaged(file, `${wrong} is not what was put into it`);
  if (checked.kind === 'none') throw damaged(file, 'its end is missing or changed');
  return { found, about, digest: checked.digest };
}

async function unlessUnreadable<T>(file: string, reading: Promise<T>): Promise<T> {
  return await reading.catch((cause: Error) => {
    throw new BackupError('backup_damaged', `${file} cannot be read as a backup: ${cause.message}.`, {
      hint: 'Take a file that skinsmith backup has made.',
      cause,
    });
  });
}

function damaged(file: string, what: string): BackupError {
  return new BackupError('backup_damaged', `The backup ${file} is damaged: ${what}.`, {
    hint: 'Take an earlier backup.',
  });
}

function readAbout(text: Uint8Array | undefined): About | undefined {
  try {
    return text && aboutSchema.safeParse(JSON.parse(Buffer.from(text).toString('utf8'))).data;
  } catch {
    return undefined; // no JSON
  }
}

function isAsMade(content: Uint8Array | undefined, digest: string | undefined): boolean {
  return (content && digestOf(content)) === digest;
}
