import type { Db } from '../store/db.ts';
import { isPostgres } from '../store/dialect.ts';
import { GroupCommit } from '../store/group-commit.ts';

/** How works that come at the same moment are done. */
export type Commits = Pick<GroupCommit, 'run'>;

/**
 * SQLite has one writer, and a commit costs much: works of the same moment share a transaction. PostgreSQL does that
 * itself.
 */
export function commitsOf(db: Db): Commits {
  return isPostgres(db) ? { run: async (work) => await work(db) } : new GroupCommit(db);
}
