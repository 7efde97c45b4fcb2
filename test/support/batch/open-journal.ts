import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Journal } from '../../../src/batch/journal/journal.ts';
import { ownFolder } from '../server/own-folder.ts';

/** Where a journal of the test's own may be. */
export async function ownPath(): Promise<string> {
  return join(await ownFolder(), 'journals', 'batch.ndjson');
}

const closed = new WeakSet<Journal>();

/** Once, however often it is asked. */
export function close(journal: Journal): void {
  if (closed.has(journal)) return;
  closed.add(journal);
  journal.close();
}

/** The journal at `path`, closed when the test ends. */
export function open(path: string): Journal {
  const journal = Journal.open(path);
  onTestFinished(() => close(journal));
  return journal;
}

/** The journal as another process would find it. */
export function reopened(path: string, journal: Journal): Journal {
  close(journal);
  return open(path);
}

/** Retires a journal, which closes it. */
export function retire(journal: Journal, keepsJobs: boolean): void {
  closed.add(journal);
  journal.retire({ keepsJobs });
}
