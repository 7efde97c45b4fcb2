import type { Db } from '../store/db.ts';
import { isPostgres } from '../store/dialect.ts';
import { GroupCommit } from '../store/group-commit.ts';

/** Runs pieces of work that arrive at the same moment. */
export type Commits = Pick<GroupCommit, 'run'>;

/**
 * SQLite has one writer, and commits are expensive: pieces of work that arrive at the same moment share a transaction.
 * PostgreSQL groups commits itself.
 */
export function commitsOf(db: Db): Commits {
  return isPostgres(db) ? { run: async (work) => await work(db) } : new GroupCommit(db);
}
