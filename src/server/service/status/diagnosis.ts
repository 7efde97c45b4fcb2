import type { Clock } from '../../../base/clock.ts';
import { AWAKE } from '../../../base/clock.ts';
import type { Diagnosis, HealthFinding } from '../../../protocol/diagnosis.ts';
import type { Generator, GeneratorKind } from '../../generators/port.ts';
import type { Db } from '../../store/db.ts';
import { StoreTooNewError } from '../../store/known-schema.ts';
import { NEWEST_SCHEMA, readVersion } from '../../store/migrate.ts';
import { type Caller, requireOperator } from '../callers/caller.ts';
import type { Health, Unreadiness } from './health.ts';

/** Milliseconds that a generator may take to report its health: the caller waits only a few seconds. */
const LIMIT = 5_000;

export interface DiagnosisContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly health: Health;
  readonly generator: Pick<Generator, 'health'>;
  readonly generatorKind: GeneratorKind;
  readonly publicUrl: () => string;
  readonly examineStore: () => Promise<HealthFinding[]>;
}

/** Health checks that only the service itself can make. @throws Refusal for callers other than the operator */
export async function diagnose(context: DiagnosisContext, caller: Caller, limit = LIMIT): Promise<Diagnosis> {
  requireOperator(caller);
  const [generator, store] = await Promise.all([generatorFindings(context, limit), storeFindings(context)]);
  return {
    publicUrl: context.publicUrl(),
    generator: { kind: context.generatorKind, findings: [...generator] },
    store: { findings: store },
  };
}

async function generatorFindings(
  { generator, clock }: DiagnosisContext,
  limit: number,
): Promise<readonly HealthFinding[]> {
  if (!generator.health) return [];
  const over = new AbortController();
  const asked = generator.health(over.signal);
  const late = clock.sleep(limit, over.signal).then(() => {
    return [problem('generator_silent', `The generator did not report its health within ${limit / 1000} s.`)];
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    for (const one of [asked, late]) one.catch(() => {}); // nobody waits for the other any more
    over.abort(AWAKE);
  }
}

/** With these, nothing more can be said of the store. */
const STORE_PROBLEMS: Partial<Record<Unreadiness, string>> = {
  store_replaced: 'The store was removed or replaced while the service was running.',
  store_too_new: 'A newer skinsmith has changed the store, so that this one may not use it any more.',
  store_unreachable: 'The database cannot be reached.',
  store_not_writable: 'The store is not writable: the disk is full or the folder is read-only.',
};

async function storeFindings({ db, health, examineStore }: DiagnosisContext): Promise<HealthFinding[]> {
  for (const reason of await health.unreadiness()) {
    const message = STORE_PROBLEMS[reason];
    if (message !== undefined) return [problem(reason, message)];
  }
  return [await schemaFinding(db), ...(await examineStore())];
}

/** A newer program may have changed the store while this one runs. */
async function schemaFinding(db: Db): Promise<HealthFinding> {
  try {
    const version = await readVersion(db);
    const newer = `: a newer skinsmith has upgraded the store, in a way that this one, which knows ${NEWEST_SCHEMA}, can go on with`;
    const how = version > NEWEST_SCHEMA ? newer : ` of ${NEWEST_SCHEMA}`;
    return ok('store_schema', `The schema of the store is version ${version}${how}.`);
  } catch (error) {
    if (error instanceof StoreTooNewError) return problem(error.code, error.message);
    throw error;
  }
}

function ok(code: string, message: string): HealthFinding {
  return { code, result: 'ok', message };
}

function problem(code: string, message: string): HealthFinding {
  return { code, result: 'problem', message };
}
