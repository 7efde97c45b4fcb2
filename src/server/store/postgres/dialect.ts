import { PostgresAdapter, PostgresDialect, type PostgresPool } from 'kysely';
import type { NamesDialect } from '../dialect.ts';
import type { KeepsCompiled } from '../prepared.ts';

/** Kysely on a pool of connections. */
export class PooledDialect extends PostgresDialect {
  constructor(pool: PostgresPool) {
    super({ pool });
  }

  override createAdapter(): PostgresAdapter {
    return new PooledAdapter();
  }
}

class PooledAdapter extends PostgresAdapter implements KeepsCompiled, NamesDialect {
  readonly compiled: KeepsCompiled['compiled'] = new Map();
  readonly dialectName = 'postgres';
}
