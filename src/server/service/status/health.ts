import { AWAKE, systemClock } from '../../../base/clock.ts';
import { type Diagnosis, finding, type HealthFinding } from '../../../protocol/service.ts';
import type { Generator, GeneratorKind } from '../../generators/port.ts';
import type { OpenIdProvider } from '../../openid/provider.ts';
import type { Db, OpenStore } from '../../store/db.ts';
import { isUnreachable, StoreGoneError } from '../../store/failures.ts';
import { NEWEST_SCHEMA, readVersion, writeMeta } from '../../store/meta.ts';
import { MAX_SKEW } from '../../store/nodes.ts';
import { StoreTooNewError } from '../../store/process-memory.ts';
import { type Caller, requireOperator, type StoreContext } from '../callers.ts';

/** Problems that do not stop the service but concern its operator. Diagnoses have the same codes, and say more. */
export type StoreWarning = 'store_clock' | 'store_pool' | 'store_listener';

/** Why a service accepts no work now. */
export type Unreadiness =
  | 'stopping'
  | 'store_replaced'
  | 'store_too_new'
  | 'store_unreachable'
  | 'store_not_writable'
  | 'store_full'
  | 'signing_key_changed'
  | 'workers_in_trouble'
  | 'generator_not_ready';

export interface HealthOptions extends StoreContext {
  readonly isStopping: () => boolean;
  /** Whether the store's files were removed or replaced. */
  readonly isReplaced: () => boolean;
  /** Whether a newer program has changed the store so that this one cannot use it. */
  readonly isTooNew: () => boolean;
  /** Whether the signing key is gone or differs from the one that signed the store's skins. */
  readonly isKeyChanged: () => Promise<boolean>;
  /** Whether the store has reached its size limit. */
  readonly isFull: () => boolean;
  readonly trouble: () => unknown;
  readonly warnings: () => readonly StoreWarning[];
  /** Whether the generator is usable, as far as is known. */
  readonly isReady: () => Promise<boolean>;
  readonly onError: (error: unknown) => void;
  /** Resolves when the wait has been long enough; default: after `LIMIT`. Rejects when aborted. */
  readonly untilLate?: (signal: AbortSignal) => Promise<void>;
}

/**
 * Milliseconds for which the result of a trial write is reused, so that frequent checks do not cause frequent writes.
 */
const TRY_AGE = 1_000;

/**
 * Milliseconds after which a silent store counts as unreachable: PostgreSQL may accept connections and never answer.
 * Uses real time, because the service's clock may be an imitation while callers wait for real.
 */
const LIMIT = 5_000;

type StoreFault = Extract<Unreadiness, 'store_replaced' | 'store_unreachable' | 'store_not_writable'>;

/** A trial write and its start (monotonic). */
interface Trial {
  readonly at: number;
  readonly fault: Promise<StoreFault | undefined>;
  isOver: boolean;
}

async function defaultLimit(signal: AbortSignal): Promise<void> {
  await systemClock.sleep(LIMIT, signal);
}

/** Whether this process can do its work. */
export class Health {
  readonly #options: HealthOptions;
  #trial: Trial | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** The reasons why the service cannot work; empty when it is ready. */
  async unreadiness(): Promise<Unreadiness[]> {
    const { isStopping, untilLate = defaultLimit } = this.#options;
    const timer = new AbortController();
    const late = untilLate(timer.signal).then(
      () => undefined,
      () => undefined, // it has been stopped, and its result is not awaited
    );
    const found = await Promise.race([this.#look(), late]).finally(() => timer.abort(AWAKE));
    return found ?? [...(isStopping() ? (['stopping'] as const) : []), 'store_unreachable'];
  }

  /**
   * Whether the process is alive and needs no restart: without its store, it would not work after a restart either.
   */
  get isAlive(): boolean {
    const trouble = this.#options.trouble();
    return !trouble || isUnreachable(trouble);
  }

  get warnings(): readonly StoreWarning[] {
    return this.#options.warnings();
  }

  async #look(): Promise<Unreadiness[]> {
    const found = this.#lost() ?? (await this.#reasons());
    const stopping = this.#options.isStopping() ? (['stopping'] as const) : [];
    return [...stopping, ...(this.#lost() ?? found)]; // the store may have been lost during the check
  }

  /** If the store is no longer this service's, nothing else matters. */
  #lost(): Unreadiness[] | undefined {
    if (this.#options.isReplaced()) return ['store_replaced'];
    return this.#options.isTooNew() ? ['store_too_new'] : undefined;
  }

  async #reasons(): Promise<Unreadiness[]> {
    const { isFull, isKeyChanged, trouble, isReady } = this.#options;
    const fault = await this.#storeFault();
    const isWritable = fault === undefined;
    const canGenerate = !isWritable || (await isReady()); // this check reads from the store
    return [
      ...(fault ? [fault] : []),
      ...(isFull() ? (['store_full'] as const) : []),
      ...(isWritable && (await isKeyChanged()) ? (['signing_key_changed'] as const) : []),
      ...(trouble() ? (['workers_in_trouble'] as const) : []),
      ...(canGenerate ? [] : (['generator_not_ready'] as const)),
    ];
  }

  async #storeFault(): Promise<StoreFault | undefined> {
    const at = this.#options.clock.monotonic();
    const trial = this.#trial;
    // While one write hangs, more would take all connections.
    if (trial && at - trial.at < (trial.isOver ? TRY_AGE : LIMIT)) return await trial.fault;
    const next: Trial = { at, fault: this.#tryToWrite(), isOver: false };
    this.#trial = next;
    return await next.fault.finally(() => {
      next.isOver = true;
    });
  }

  /** Only a write shows whether the disk is full or the folder read-only. */
  async #tryToWrite(): Promise<StoreFault | undefined> {
    const { db, clock, onError } = this.#options;
    try {
      await writeMeta(db, 'last-look', String(clock.now()));
      return undefined;
    } catch (error) {
      onError(error);
      if (error instanceof StoreGoneError) return 'store_replaced';
      return isUnreachable(error) ? 'store_unreachable' : 'store_not_writable';
    }
  }
}

/** Milliseconds of waiting for connections that are worth a warning. */
const LONG = 5_000;

/** Warnings about a shared store, without querying it. `skew`: milliseconds that the machine's clock is ahead of its. */
export function storeWarnings(
  { connections, notifier }: Pick<OpenStore, 'connections' | 'notifier'>,
  skew: number,
): StoreWarning[] {
  const { waitingFor, isListening } = connections?.() ?? { waitingFor: 0, isListening: true };
  const isDeaf = notifier !== undefined && !isListening; // behind a pooler, listening is impossible
  return [
    ...(Math.abs(skew) >= MAX_SKEW ? (['store_clock'] as const) : []),
    ...(waitingFor >= LONG ? (['store_pool'] as const) : []),
    ...(isDeaf ? (['store_listener'] as const) : []),
  ];
}

export interface DiagnosisContext extends StoreContext {
  readonly health: Health;
  readonly generator: Pick<Generator, 'health'>;
  readonly generatorKind: GeneratorKind;
  readonly publicUrl: () => string;
  readonly examineStore: () => Promise<HealthFinding[]>;
  readonly openId: OpenIdProvider | undefined;
}

/** Health checks that only the service itself can make. @throws Refusal for callers other than the operator */
export async function diagnose(context: DiagnosisContext, caller: Caller): Promise<Diagnosis> {
  requireOperator(caller);
  const { openId } = context;
  const [generator, store, provider] = await Promise.all([
    inTime(async (signal) => (await context.generator.health?.(signal)) ?? [], GENERATOR_SILENT, context),
    storeFindings(context),
    openId && inTime(async () => await openId.examine(), PROVIDER_SILENT, context),
  ]);
  return {
    publicUrl: context.publicUrl(),
    generator: { kind: context.generatorKind, findings: [...generator] },
    store: { findings: store },
    ...(provider && { openId: { findings: [...provider] } }),
  };
}

const GENERATOR_SILENT = finding(
  'problem',
  'generator_silent',
  `The generator did not report its health within ${LIMIT / 1000} s.`,
);
const PROVIDER_SILENT = finding(
  'problem',
  'provider_unreachable',
  `The OpenID Connect provider did not answer within ${LIMIT / 1000} s.`,
);

/** What `ask` finds; `silent` if it takes too long. */
async function inTime(
  ask: (signal: AbortSignal) => Promise<readonly HealthFinding[]>,
  silent: HealthFinding,
  { clock }: Pick<DiagnosisContext, 'clock'>,
): Promise<readonly HealthFinding[]> {
  const over = new AbortController();
  const asked = ask(over.signal);
  const late = clock.sleep(LIMIT, over.signal).then(() => [silent]);
  try {
    return await Promise.race([asked, late]);
  } finally {
    over.abort(AWAKE);
  }
}

/** With these problems, nothing more can be said about the store. */
const STORE_PROBLEMS: Partial<Record<Unreadiness, string>> = {
  store_replaced: 'The store was removed or replaced while the service was running.',
  store_too_new: 'A newer skinsmith has upgraded the store; this version can no longer use it.',
  store_unreachable: 'The database cannot be reached.',
  store_not_writable: 'The store is not writable: the disk is full or the folder is read-only.',
};

async function storeFindings({ db, health, examineStore }: DiagnosisContext): Promise<HealthFinding[]> {
  for (const reason of await health.unreadiness()) {
    const message = STORE_PROBLEMS[reason];
    if (message !== undefined) return [finding('problem', reason, message)];
  }
  return [await schemaFinding(db), ...(await examineStore())];
}

/** A newer program may have changed the store while this one runs. */
async function schemaFinding(db: Db): Promise<HealthFinding> {
  try {
    const version = await readVersion(db);
    const newer = `: a newer skinsmith has upgraded the store; this one, which knows ${NEWEST_SCHEMA}, still works with it`;
    const how = version > NEWEST_SCHEMA ? newer : ` of ${NEWEST_SCHEMA}`;
    return finding('ok', 'store_schema', `The schema of the store is version ${version}${how}.`);
  } catch (error) {
    if (error instanceof StoreTooNewError) return finding('problem', error.code, error.message);
    throw error;
  }
}
