import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownFolder } from '../server/own-folder.ts';

/** A user's jobs that may be pending at once. */
export const SLOTS = 5;

/** Limits on pending and processing jobs that a few senders reach. */
const PLAN = {
  queue: SLOTS,
  per_minute: 1_000_000,
  per_hour: 1_000_000,
  concurrency: 2,
  burst: 3,
  priority: 1,
};

/** A plans file with the plan under this name. */
export async function writePlan(name: string): Promise<string> {
  const path = join(await ownFolder(), 'plans.json');
  await writeFile(path, JSON.stringify({ [name]: PLAN }));
  return path;
}
