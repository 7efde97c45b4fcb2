import { CompiledQuery } from 'kysely';
import type { Db } from './db.ts';

/**
 * Statements of one transaction that PostgreSQL gets at once and runs one after the other. A lock that the first one takes
 * is held only while they run, not for a round trip for each of them.
 */
export class Pipeline {
  readonly statements: readonly CompiledQuery[];

  constructor(statements: readonly CompiledQuery[]) {
    this.statements = statements;
  }
}

/** Ends the transaction. Nothing may be asked of it afterwards. */
export const COMMIT = CompiledQuery.raw('commit');

type Rows<S extends readonly CompiledQuery[]> = {
  [K in keyof S]: S[K] extends CompiledQuery<infer Row> ? readonly Row[] : never;
};

/**
 * Runs the statements in a transaction on PostgreSQL and resolves with the rows of each.
 * @throws what the first one fails with: those after it have no effect, nor has the transaction
 */
export async function runPipeline<const S extends readonly CompiledQuery[]>(
  tx: Db,
  statements: S,
): Promise<Rows<S>> {
  const { rows } = await tx.executeQuery(CompiledQuery.raw('', [new Pipeline(statements)]));
  return rows as unknown as Rows<S>;
}
