import type { MayChange, PlainRow } from './contents.ts';

const ENDING = ['status', 'skin_uuid', 'finished_at'];
const WORKING = ['attempts', 'run_at', 'lease_owner', 'lease_until', 'started_at'];

/** Columns of existing rows that a running service changes; everything else must stay the same. */
const CHANGES: Readonly<Record<string, (row: PlainRow) => readonly string[]>> = {
  meta: ({ key }) => (['schema', 'local-url', 'last-look'].includes(String(key)) ? ['value'] : []),
  api_keys: () => ['last_used_at'],
  callers: () => ['processing', 'burst'],
  callbacks: ({ done_at }) => (done_at === null ? [...WORKING, 'done_at'] : []),
  chores: () => ['due_at', ...WORKING],
  jobs: ({ finished_at }) => (finished_at === null ? [...WORKING, ...ENDING] : []),
  queue_clock: () => ['turn'],
  sessions: () => ['used_at'],
};

export const changesAtWork: MayChange = (table, row, column) =>
  CHANGES[table]?.(row).includes(column) ?? false;
