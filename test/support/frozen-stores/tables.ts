import { COPIED, type CopiedTable } from '../../../src/server/store-copy/rows.ts';

/** All tables with what identifies their rows; each one after those that its rows refer to. */
export const ALL_TABLES: readonly CopiedTable[] = [
  ...COPIED,
  { name: 'nodes', key: ['id'] },
  { name: 'chores', key: ['name'] },
];
