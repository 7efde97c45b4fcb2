import { z } from 'zod';
import { type Backend, DoubleError, hostedBackend, hostedOptions, withoutAbsent } from './backend.ts';
import { DoubleClock, durationSchema } from './clock.ts';
import { type Door, openDoor } from './door.ts';
import {
  type Exchange,
  type Expectations,
  expectationsSchema,
  type Violation,
  violationsOf,
} from './expectations.ts';
import { type FaultSource, randomFaults, strike } from './faults.ts';
import { effectOfName } from './plans.ts';
import {
  answered,
  contentOf,
  jsonReply,
  type Outcome,
  pageReply,
  patched,
  type Reply,
  refusalCode,
  refusalReply,
  responseOf,
  withBody,
} from './replies.ts';
import {
  type DoubleRequest,
  doubleRequest,
  isSecret,
  isSubmission,
  type RequestKind,
  type SubmittedSkin,
  submittedSkin,
  withoutSecrets,
} from './requests.ts';
import {
  type PlannedAnswer,
  type RuledRequest,
  type RuleEffect,
  Rules,
  readScenario,
  type Scenario,
  ScenarioError,
  type ScenarioInput,
} from './scenario.ts';
import { DOUBLE_KEY, fixtureKey, Seed } from './seed.ts';

/** How a double behaves; all of it has defaults. */
export interface DoubleOptions {
  /** Whose answers it gives; default: `hosted`. */
  readonly as?: 'hosted' | 'skinsmith';
  /** One of `SCENARIOS` by its name, or one of your own. */
  readonly scenario?: string | ScenarioInput;
  /** What ids, and faults by chance, follow from; default: 1. */
  readonly seed?: number;
  /** `manual`: time stands still until it is advanced; default: it runs. */
  readonly clock?: 'running' | 'manual';
  /** Port on the loopback; default: a free one. */
  readonly port?: number;
  /** False: it is reached by `fetch` only. */
  readonly listens?: boolean;
  /** Called when `POST /_double/stop` has been answered; without it, there is nothing at this address. */
  readonly onStop?: () => void;
}

/** A service for tests of clients: in memory, with faults on demand, and checks of what clients do. */
export interface Double {
  /** Its root, no slash at the end. */
  readonly url: string;
  /** The API key of its one user. */
  readonly key: string;
  /** The requests that came in, oldest first; the last 10,000. */
  readonly requests: readonly Exchange[];
  /** Answers a request without a network. Rejects where a connection would break. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Lets time pass at once. `time`: milliseconds, or a text such as 1m. */
  advance(time: number | string): void;
  /** Adds expectations that clients must meet from now on. */
  expect(expectations: z.input<typeof expectationsSchema>): void;
  /** The expectations that were not met so far. */
  violations(): readonly Violation[];
  /** Forgets everything, as if it were started anew, with another scenario if one is given. */
  reset(scenario?: string | ScenarioInput): Promise<void>;
  /** Ends it. @throws UnmetExpectations */
  stop(): Promise<void>;
}

/** Clients did not meet the expectations. `message` lists them. */
export class UnmetExpectations extends Error {
  override readonly name = 'UnmetExpectations';
  readonly code = 'unmet_expectations';
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    const lines = violations.map(
      ({ expectation, message, requests }) => `${expectation}: ${message} (requests ${requests.join(', ')})`,
    );
    super(`The clients of the double did not meet its expectations:\n${lines.join('\n')}`);
    this.violations = violations;
  }
}

/** The roots of a double that does not listen, and of its textures. */
const NOWHERE = 'http://double.invalid';
const NO_TEXTURES = 'http://textures.invalid';
const MAX_EXCHANGES = 10_000;
const CONTROL = '/_double/';
const NOTHING_HERE = { code: 'not_found', message: 'The double has nothing at this address.' };

/**
 * Starts a double of the service for a test, in memory, on a free port of the loopback. Stop it at the end of the test:
 * `stop` throws if clients did what `expect` forbids.
 * @example
 * const double = await startDouble({ scenario: 'lossy' });
 * const client = new SkinClient({ baseUrl: double.url, apiKey: double.key, insecureHttp: true });
 * await double.stop();
 * @throws DoubleError when it cannot listen; ScenarioError for an unusable scenario
 */
export async function startDouble(options: DoubleOptions = {}): Promise<Double> {
  const double = new RunningDouble(options);
  await double.start();
  return double;
}

/** What a request was sent to. */
type Origin = 'api' | 'textures';

/** Everything that a reset replaces. */
interface State {
  readonly clock: DoubleClock;
  readonly backend: Backend;
  readonly rules: Rules;
  readonly faults: FaultSource | undefined;
  readonly exchanges: Exchange[];
  /** How often each name was submitted. */
  readonly uses: Map<string, number>;
  expectations: Expectations;
  dropped: number;
}

/** What is to become of one request. */
interface Course {
  readonly effect: RuleEffect | undefined;
  readonly process: () => Promise<Reply>;
  readonly state: State;
}

class RunningDouble implements Double {
  readonly #options: DoubleOptions;
  readonly #closing = new AbortController();
  #door: Door | undefined;
  /** Textures have an origin of their own, as those of the game have. */
  #textures: Door | undefined;
  #state!: State;
  #numbers = 0;

  constructor(options: DoubleOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const scenario = readScenario(this.#options.scenario);
    const { listens = true, port } = this.#options;
    if (listens) {
      this.#door = await openDoor({
        ...(port !== undefined && { port }),
        handle: async (request, sent) => await this.#handle(request, 'api', sent),
      });
      this.#textures = await openDoor({ handle: async (request) => await this.#handle(request, 'textures') });
    }
    try {
      this.#state = await this.#begin(scenario);
    } catch (error) {
      await this.#close();
      throw error;
    }
  }

  async #close(): Promise<void> {
    await Promise.all([this.#door?.close(), this.#textures?.close()]);
  }

  get url(): string {
    return this.#door?.url ?? NOWHERE;
  }

  get #urls(): { readonly url: string; readonly texturesUrl: string } {
    return { url: this.url, texturesUrl: this.#textures?.url ?? NO_TEXTURES };
  }

  get key(): string {
    return this.#state.backend.key;
  }

  get requests(): readonly Exchange[] {
    return this.#state.exchanges;
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const { origin, pathname, search } = new URL(request.url);
    const received = doubleRequest({
      number: 0,
      method: request.method,
      address: pathname + search,
      headers: Object.fromEntries(request.headers),
      body: Buffer.from(await request.arrayBuffer()),
    });
    const outcome = await this.#handle(received, origin === this.#urls.texturesUrl ? 'textures' : 'api');
    if (outcome.kind === 'cut')
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('cut'), { code: 'ECONNRESET' }) });
    return responseOf(outcome.reply);
  };

  advance(time: number | string): void {
    this.#state.clock.advance(parsed(durationSchema, time));
  }

  expect(expectations: z.input<typeof expectationsSchema>): void {
    const { expectations: earlier } = this.#state;
    this.#state.expectations = { ...earlier, ...parsed(expectationsSchema, expectations) };
  }

  violations(): readonly Violation[] {
    return violationsOf(this.#state.expectations, this.#state.exchanges);
  }

  async reset(scenario = this.#options.scenario): Promise<void> {
    const next = await this.#begin(readScenario(scenario));
    const { backend } = this.#state;
    this.#state = next;
    await backend.close();
  }

  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#close();
    await this.#state.backend.close();
    const violations = this.violations();
    if (violations.length > 0) throw new UnmetExpectations(violations);
  }

  async #begin(scenario: Scenario): Promise<State> {
    const { seed = 1, clock: time = 'running' } = this.#options;
    const clock = new DoubleClock({ isManual: time === 'manual' });
    const { faults } = scenario;
    return {
      clock,
      backend: await openBackend(this.#options, { ...this.#urls, clock, scenario }),
      rules: new Rules(scenario.rules),
      faults: faults && randomFaults({ ...withoutAbsent(faults), seed }),
      exchanges: [],
      uses: new Map(),
      expectations: scenario.expect ?? {},
      dropped: 0,
    };
  }

  /** `sent`: resolves when the answer has left. */
  async #handle(received: DoubleRequest, at: Origin, sent = Promise.resolve()): Promise<Outcome> {
    if (at === 'api' && received.address.startsWith(CONTROL))
      return answered(await this.#control(received, sent));
    const { kind } = received;
    // Whatever is asked of the host of the textures counts as a texture: no key must go there.
    const asked: RequestKind = at === 'textures' ? 'texture' : kind === 'texture' ? 'other' : kind;
    const request = { ...received, number: ++this.#numbers, kind: asked };
    return await this.#answer(request, { isNothing: at === 'textures' && kind !== 'texture' });
  }

  async #answer(request: DoubleRequest, { isNothing }: { readonly isNothing: boolean }): Promise<Outcome> {
    const state = this.#state;
    const at = state.clock.now();
    const submitted = await submittedSkin(request);
    const key = keyOf(request, state.backend.key);
    const effect = this.#effectOn(request, { submitted, key });
    let processed: Reply | undefined;
    const process = async () => {
      if (effect?.delay) await state.clock.sleep(effect.delay, this.#closing.signal);
      processed = isNothing ? pageReply(404, 'Not Found') : await state.backend.answer(request, effect?.job);
      return effect?.alter ? alteredBy(processed, effect.alter) : processed;
    };
    const outcome = await this.#outcome(request, { effect, process, state });
    this.#note(state, {
      ...describeExchange(request, { at, answered: state.clock.now(), outcome, processed }),
      key: [...request.query.keys()].some(isSecret) ? 'query' : key,
      ...(submitted && { submits: submitted.identity }),
      pending: await state.backend.unfinished(),
      ...(effect && { effect: describeEffect(effect) }),
    });
    return marked(outcome, this.#options.as ?? 'hosted');
  }

  /** The first rule that matches, then the effect of a name, then chance. */
  #effectOn(
    request: DoubleRequest,
    { submitted, key }: { submitted: SubmittedSkin | undefined; key: RuledRequest['key'] },
  ): RuleEffect | undefined {
    const { rules, faults } = this.#state;
    const names = [submitted?.name, submitted?.file].filter((name) => name !== undefined);
    const ruled = rules.next({ request, key, names });
    const chance = faults?.(request);
    return ruled ?? this.#effectOfNames(names) ?? (chance && { fault: chance });
  }

  #effectOfNames(names: readonly string[]): RuleEffect | undefined {
    const { uses } = this.#state;
    for (const name of new Set(names)) {
      const use = (uses.get(name) ?? 0) + 1;
      if (effectOfName(name, 1) === undefined) continue;
      uses.set(name, use);
      const effect = effectOfName(name, use);
      return effect?.job ? { ...effect, job: { ...effect.job, name } } : effect;
    }
    return undefined;
  }

  async #outcome(request: DoubleRequest, { effect, process, state }: Course): Promise<Outcome> {
    const { fault, answer } = effect ?? {};
    if (answer) {
      if (answer.processed) await process();
      else if (effect?.delay) await state.clock.sleep(effect.delay, this.#closing.signal);
      return answered(plannedReply(answer));
    }
    if (!fault) return answered(await process());
    const refuse = (code: Parameters<Backend['refuse']>[1]) => state.backend.refuse(request, code, fault);
    return await strike({ process, refuse, clock: state.clock, closing: this.#closing.signal }, fault);
  }

  #note(state: State, exchange: Exchange): void {
    state.exchanges.push(exchange);
    state.exchanges.sort((a, b) => a.number - b.number);
    if (state.exchanges.length <= MAX_EXCHANGES) return;
    state.exchanges.shift();
    state.dropped++;
  }

  /** Requests of a test to the double itself. */
  async #control({ method, address, headers, body }: DoubleRequest, sent: Promise<void>): Promise<Reply> {
    // The form of another site's page can send anything else without asking first.
    if (method !== 'GET' && !/^application\/json\b/i.test(headers['content-type'] ?? '')) {
      const message = 'Orders to the double are JSON, with Content-Type: application/json.';
      return refusalReply(415, { code: 'unsupported_media_type', message });
    }
    try {
      const content: unknown = body.length > 0 ? JSON.parse(body.toString('utf8')) : {};
      const asked = `${method} ${address.slice(CONTROL.length)}`;
      const { onStop } = this.#options;
      if (asked === 'POST stop' && onStop) {
        void sent.then(onStop);
        return jsonReply(200, { violations: this.violations() });
      }
      const order = Object.hasOwn(this.#orders, asked) ? this.#orders[asked] : undefined;
      return order ? jsonReply(200, await order(content)) : refusalReply(404, NOTHING_HERE);
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof ScenarioError || error instanceof DoubleError))
        throw error;
      return refusalReply(400, { code: 'validation_error', message: error.message });
    }
  }

  readonly #orders: Readonly<Record<string, (content: unknown) => object | Promise<object>>> = {
    'GET requests': () => ({ requests: this.requests, dropped: this.#state.dropped }),
    'POST expect': (content) => {
      this.expect(content as z.input<typeof expectationsSchema>);
      return { violations: this.violations() };
    },
    'GET expect': () => ({ violations: this.violations() }),
    'POST clock': (content) => {
      this.advance(parsed(z.strictObject({ advance: z.unknown() }), content).advance as number | string);
      return { now: this.#state.clock.now() };
    },
    'POST reset': async (content) => {
      await this.reset((content as { scenario?: ScenarioInput }).scenario);
      return {};
    },
  };
}

interface Setting {
  readonly url: string;
  readonly texturesUrl: string;
  readonly clock: DoubleClock;
  readonly scenario: Scenario;
}

/** @throws DoubleError for what only the hosted service's double can do */
async function openBackend({ as = 'hosted', seed = 1 }: DoubleOptions, setting: Setting): Promise<Backend> {
  const { url, clock, scenario, texturesUrl } = setting;
  if (as === 'skinsmith') {
    const { skinsmithBackend } = await import('./skinsmith-backend.ts');
    return await skinsmithBackend({ ...setting, key: DOUBLE_KEY });
  }
  const options = {
    ...hostedOptions(scenario),
    texturesUrl: `${texturesUrl}/texture`, // as the game's are, for which clients look
    clock,
    seed: new Seed(seed),
    signingKey: fixtureKey(),
  };
  return hostedBackend(url, options);
}

/** @throws ScenarioError */
function parsed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { data, error } = schema.safeParse(value);
  if (error) throw new ScenarioError(z.prettifyError(error));
  return data as z.output<S>;
}

/** Every answer says that it is a double's, so that nobody takes it for a service. */
function marked(outcome: Outcome, as: string): Outcome {
  if (outcome.kind === 'cut') return outcome;
  const { reply } = outcome;
  return answered({ ...reply, headers: { ...reply.headers, 'x-skinsmith-double': as } });
}

function keyOf({ headers }: DoubleRequest, key: string): RuledRequest['key'] {
  const sent = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (sent === undefined) return 'none';
  return sent === key ? 'valid' : 'unknown';
}

function plannedReply({ status, code, message, headers = {}, body }: PlannedAnswer): Reply {
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  if (typeof body === 'string') {
    const html = { 'content-type': 'text/html; charset=utf-8', ...lower };
    return withBody({ status, headers: html }, Buffer.from(body));
  }
  if (body !== undefined) return jsonReply(status, body, lower);
  if (code === undefined && status >= 400) return pageReply(status, message ?? `Error ${status}`, lower);
  if (code === undefined) return jsonReply(status, { success: true }, lower);
  return refusalReply(status, { code, message: message ?? code }, lower);
}

function alteredBy(reply: Reply, patch: object): Reply {
  const content = contentOf(reply);
  return content ? jsonReply(reply.status, patched(content, patch), reply.headers) : reply;
}

interface Seen {
  readonly at: number;
  readonly answered: number;
  readonly outcome: Outcome;
  /** What the service answered, whether or not it was sent. */
  readonly processed: Reply | undefined;
}

function describeExchange(
  request: DoubleRequest,
  { at, answered, outcome, processed }: Seen,
): Omit<Exchange, 'key' | 'pending'> {
  const { number, method, address, kind, body } = request;
  const reply = outcome.kind === 'answered' ? outcome.reply : undefined;
  const { job, skin } = ((processed && contentOf(processed)) ?? {}) as {
    job?: { id?: string; status?: string };
    skin?: { duplicate?: boolean };
  };
  const code = reply && refusalCode(reply);
  const retryAt = reply?.status === 429 ? retryTime(reply, at) : undefined;
  const isLost =
    isSubmission(request) &&
    processed !== undefined &&
    processed.status < 300 &&
    skin?.duplicate !== true &&
    !(reply && contentOf(reply));
  return {
    number,
    at,
    answered,
    method,
    address: withoutSecrets(address),
    kind,
    bytes: body.length,
    status: reply?.status ?? 0,
    ...(code !== undefined && { code }),
    ...(job?.id !== undefined && { job: job.id }),
    ...(reply && job?.status !== undefined && { jobStatus: job.status }),
    ...(kind === 'job' && job === undefined && { job: request.subject }),
    ...(isLost && { lost: true }),
    ...(retryAt !== undefined && { retryAt }),
  };
}

function retryTime(reply: Reply, now: number): number | undefined {
  const header = reply.headers['retry-after'];
  if (typeof header === 'string') {
    return /^\d+$/.test(header) ? now + Number(header) * 1_000 : Date.parse(header) || undefined;
  }
  const { rateLimit } = (contentOf(reply) ?? {}) as { rateLimit?: { next?: { relative?: number } } };
  return rateLimit?.next?.relative === undefined ? undefined : now + rateLimit.next.relative;
}

function describeEffect({ delay, fault, answer, alter, job }: RuleEffect): string {
  if (fault) return `fault ${fault.kind}`;
  if (answer) return `answer ${answer.status}`;
  if (alter) return 'altered answer';
  return job ? 'job' : `delay ${delay} ms`;
}
