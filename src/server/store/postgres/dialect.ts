import {
  type DataTypeNode,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  PostgresQueryCompiler,
} from 'kysely';
import type { AdapterParts } from '../adapter-parts.ts';
import { DeferredUsage } from '../deferred-usage.ts';
import type { NamesDialect } from '../dialect.ts';
import { KeyOwnerCache } from '../key-owner-cache.ts';
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

/**
 * Milliseconds for which a key and its owner are answered from memory: so a revocation holds on all nodes within a
 * second, whether or not news of it can travel.
 */
const KEY_AGE = 500;

class PooledAdapter extends PostgresAdapter implements KeepsCompiled, NamesDialect, AdapterParts {
  readonly compiled: KeepsCompiled['compiled'] = new Map();
  readonly dialectName = 'postgres';
  readonly usage = new DeferredUsage();
  readonly keyOwners = new KeyOwnerCache({ version: () => Math.floor(performance.now() / KEY_AGE) });
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

  protected override getAutoIncrement(): string {
    return 'generated always as identity';
  }
}
