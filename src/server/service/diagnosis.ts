import { AWAKE } from '../../clock.ts';
import type { Diagnosis, HealthFinding } from '../../protocol/diagnosis.ts';
import { NEWEST_SCHEMA, readVersion, StoreTooNewError } from '../store/migrate.ts';
import { lookForDamage } from '../store/sqlite-damage.ts';
import { type Caller, requireOperator } from './caller.ts';
import type { ServiceContext } from './context.ts';

/** Milliseconds that a generator has to say how it is: whoever asks waits no longer than a few seconds. */
const LIMIT = 5_000;

type DiagnosisContext = Pick<
  ServiceContext,
  'db' | 'clock' | 'health' | 'generator' | 'generatorKind' | 'publicUrl'
>;

/** What only the service itself can see of its health. @throws Refusal for others than the operator */
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
    return [problem('generator_silent', `It did not say within ${limit / 1000} s how it is.`)];
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    for (const one of [asked, late]) one.catch(() => {}); // nobody waits for the other any more
    over.abort(AWAKE);
  }
}

async function storeFindings({ db, health }: DiagnosisContext): Promise<HealthFinding[]> {
  if ((await health.unreadiness()).includes('store_not_writable')) {
    return [
      problem('store_not_writable', 'It cannot be written: the disk is full or the folder is read-only.'),
    ];
  }
  return [await schemaFinding(db), await damageFinding(db)];
}

/** A newer program may have changed the store while this one runs. */
async function schemaFinding(db: ServiceContext['db']): Promise<HealthFinding> {
  try {
    return ok('store_schema', `Its schema is version ${await readVersion(db)} of ${NEWEST_SCHEMA}.`);
  } catch (error) {
    if (error instanceof StoreTooNewError) return problem(error.code, error.message);
    throw error;
  }
}

async function damageFinding(db: ServiceContext['db']): Promise<HealthFinding> {
  const { bytes, isDamaged } = await lookForDamage(db);
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  if (isDamaged === undefined) return ok('store_large', `With ${size} it is too large to be looked through.`);
  if (isDamaged) return problem('store_damaged', 'It is damaged.');
  return ok('store_sound', `Its ${size} are sound.`);
}

function ok(code: string, message: string): HealthFinding {
  return { code, result: 'ok', message };
}

function problem(code: string, message: string): HealthFinding {
  return { code, result: 'problem', message };
}
