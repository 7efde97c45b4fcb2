import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Journal } from '../../../src/batch/journal.ts';
import { ownFolder } from '../server/own-folder.ts';

/** Where a journal of the test's own may be. */
export async function ownPath(): Promise<string> {
  return join(await ownFolder(), 'journals', 'batch.ndjson');
}

/** The journal at `path`, closed when the test ends. */
export function open(path: string): Journal {
  const journal = Journal.open(path);
  onTestFinished(() => journal.close());
  return journal;
}

/** The journal as another process finds it. */
export function reopened(path: string, journal: Journal): Journal {
  journal.close();
  return open(path);
}
