import { PostgresAdapter, PostgresDialect, type PostgresPool } from 'kysely';
import type { AdapterParts } from '../adapter-parts.ts';
import { DeferredUsage } from '../deferred-usage.ts';
import type { NamesDialect } from '../dialect.ts';
import { KeyOwnerCache } from '../key-owner-cache.ts';
import { ANY_SCHEMA, type KnownSchema } from '../known-schema.ts';
import type { KeepsCompiled } from '../prepared.ts';

/** Kysely on a pool of connections. */
export class PooledDialect extends PostgresDialect {
  readonly #schema: KnownSchema;

  constructor(pool: PostgresPool, schema = ANY_SCHEMA) {
    super({ pool });
    this.#schema = schema;
  }

  override createAdapter(): PostgresAdapter {
    return new PooledAdapter(this.#schema);
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
  readonly schema: KnownSchema;

  constructor(schema: KnownSchema) {
    super();
    this.schema = schema;
  }
}
