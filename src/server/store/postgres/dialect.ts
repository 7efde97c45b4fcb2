import {
  type DataTypeNode,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  PostgresQueryCompiler,
} from 'kysely';
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

  override createQueryCompiler(): PostgresQueryCompiler {
    return new TranslatingCompiler();
  }
}

class PooledAdapter extends PostgresAdapter implements KeepsCompiled, NamesDialect {
  readonly compiled: KeepsCompiled['compiled'] = new Map();
  readonly dialectName = 'postgres';
}

/** The types of columns as migrations name them: texts sort by their bytes, and numbers have 64 bits as in SQLite. */
const TYPES: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  blob: 'bytea',
  real: 'double precision',
};

/** So that one list of migrations serves both databases. */
class TranslatingCompiler extends PostgresQueryCompiler {
  protected override visitDataType({ dataType }: DataTypeNode): void {
    this.append(TYPES[dataType] ?? dataType);
  }
}
