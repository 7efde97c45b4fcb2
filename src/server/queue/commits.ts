import type { Db } from '../store/db.ts';
import { isPostgres } from '../store/dialect.ts';
import { GroupCommit } from '../store/group-commit.ts';
import { OneAtATime } from './one-at-a-time.ts';

/** How works that come at the same moment are done. */
type Runner = Pick<GroupCommit, 'run'>;

/** The ways of changing jobs, and of claiming them. */
export interface Commits {
  readonly changes: Runner;
  readonly claims: Runner;
}

/**
 * SQLite has one writer, and a commit costs much: works of the same moment share a transaction. PostgreSQL does that itself;
 * only the claims of one process come one after the other, since each would pass over the jobs of an owner whose row
 * another one has locked.
 */
export function commitsOf(db: Db): Commits {
  if (!isPostgres(db)) {
    const commits = new GroupCommit(db);
    return { changes: commits, claims: commits };
  }
  const claims = new OneAtATime();
  return {
    changes: { run: async (work) => await work(db) },
    claims: { run: async (work) => await claims.run(async () => await work(db)) },
  };
}
