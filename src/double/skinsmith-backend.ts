import { devNull } from 'node:os';
import type { Clock } from '../base/clock.ts';
import { ERRORS, type ErrorCode } from '../protocol/errors.ts';
import { openEmbeddedService } from '../server/embedded.ts';
import { type Backend, DoubleError } from './backend.ts';
import { type Fate, fateOf, isNewJob, type JobPlan } from './plans.ts';
import { type Reply, refusalReply, v1RefusalReply } from './replies.ts';
import { type DoubleRequest, doubleRequest, isVersion1, submittedSkin } from './requests.ts';
import type { Scenario } from './scenario.ts';
import { fixtureKey } from './seed.ts';

interface SkinsmithDouble {
  readonly url: string;
  readonly texturesUrl: string;
  readonly clock: Clock;
  readonly scenario: Scenario;
  readonly key: string;
}

/** Our own service, in memory. The double's user is its owner. @throws DoubleError */
export async function skinsmithBackend(double: SkinsmithDouble): Promise<Backend> {
  const { url, clock, key } = double;
  const plans = new Plans();
  const service = await openInMemory(double, plans);
  const answer = async (request: DoubleRequest): Promise<Reply> => {
    const { headers, ...reply } = await replyOf(await service.fetch(requestOf(request, url)));
    return { ...reply, headers: { date: new Date(clock.now()).toUTCString(), ...headers } };
  };
  return {
    key,
    answer: async (request, plan) => {
      const { pixels } = (await submittedSkin(request)) ?? {};
      const problem = plan && unplayable(plan, pixels);
      if (problem !== undefined) return cannotPlay(problem);
      if (pixels === undefined) return await answer(request);
      const { fate, isKnown } = plan ?? {};
      // What it should have already is made beforehand, in no time.
      plans.set(pixels, isKnown ? { ...plan, serviceTime: 0 } : plan);
      if (fate?.kind === 'refused' && plans.nextFate(pixels)) return refusal(request, fate.code);
      if (isKnown) await answer({ ...request, method: 'POST', address: '/v2/generate' });
      return await answer(request);
    },
    refuse: (request, code, { wait = 0 }) => refusal(request, code, wait),
    unfinished: async () => unfinishedOf(await answer(listRequest(key))),
    close: async () => await service.close({ limit: 0 }),
  };
}

async function openInMemory({ texturesUrl, clock, scenario, key }: SkinsmithDouble, plans: Plans) {
  const { time = 40, workers } = usableService(scenario);
  const pace = Array.isArray(time) ? turning(time) : () => time;
  return await openEmbeddedService({
    dataDir: devNull,
    inMemory: { apiKey: key },
    signingKey: fixtureKey(),
    publicUrl: texturesUrl, // the root of textures
    clock,
    ...(workers !== undefined && { workers }),
    rehearse: async (pixels, signal) => {
      const duration = plans.of(pixels)?.serviceTime ?? pace();
      const fate = plans.nextFate(pixels);
      if (duration > 0) await clock.sleep(Math.min(duration, FOREVER), signal);
      return fate?.kind === 'fails' ? fate.code : undefined;
    },
    edition: (pixels) => plans.edition(pixels),
  });
}

/** What of a plan the service itself cannot do; undefined: it can do all. */
function unplayable({ fate, polls, isKnown }: JobPlan, pixels: unknown): string | undefined {
  if (pixels === undefined) return isKnown === false ? undefined : 'this without a picture';
  if (fate?.kind === 'wrong') return 'wrong';
  if (fate?.kind === 'forgotten') return 'forget';
  return polls === undefined ? undefined : 'polls';
}

/** How many jobs of a list wait or are being processed. */
function unfinishedOf({ body }: Reply): number {
  const { jobs = [] } = JSON.parse((body as Buffer).toString('utf8')) as { jobs?: { status: string }[] };
  return jobs.filter(({ status }) => status === 'waiting' || status === 'processing').length;
}

/** @throws DoubleError for what only the hosted service's double can do */
function usableService({
  service = {},
  rules = [],
}: Scenario): Pick<NonNullable<Scenario['service']>, 'time' | 'workers'> {
  const { time, workers, ...others } = service;
  const [unknown] = Object.keys(others);
  if (unknown) throw cannotAs(`service.${unknown}`);
  for (const { do: effect } of rules) {
    const kind = (['wrong', 'forgottenAfter', 'polls'] as const).find(
      (name) => effect.job?.[name] !== undefined,
    );
    if (kind) throw cannotAs(`job.${kind}`);
  }
  return { ...(time !== undefined && { time }), ...(workers !== undefined && { workers }) };
}

function cannotAs(what: string): DoubleError {
  const message = `A double of skinsmith cannot do ${what}; one of the hosted service can.`;
  return new DoubleError('scenario_unsupported', message);
}

function cannotPlay(what: string): Reply {
  return refusalReply(400, { code: 'validation_error', message: cannotAs(what).message });
}

/** What was planned last for each picture, by pixel hash. */
class Plans {
  readonly #plans = new Map<string, JobPlan>();
  /** Jobs of each picture and name so far. */
  readonly #attempts = new Map<string, number>();
  readonly #editions = new Map<string, number>();

  of(pixels: string): JobPlan | undefined {
    return this.#plans.get(pixels);
  }

  /** Submits a picture: with a plan for a new job, its data so far is out of date. */
  set(pixels: string, plan: JobPlan | undefined): void {
    if (plan) this.#plans.set(pixels, plan);
    else this.#plans.delete(pixels);
    if (isNewJob(plan, this.#attempt(pixels))) this.#editions.set(pixels, this.edition(pixels) + 1);
  }

  edition(pixels: string): number {
    return this.#editions.get(pixels) ?? 0;
  }

  /** The fate of the picture's next job, which it counts. */
  nextFate(pixels: string): Fate | undefined {
    const attempt = this.#attempt(pixels);
    this.#attempts.set(this.#key(pixels), attempt);
    return fateOf(this.of(pixels)?.fate, attempt);
  }

  #attempt(pixels: string): number {
    return (this.#attempts.get(this.#key(pixels)) ?? 0) + 1;
  }

  #key(pixels: string): string {
    return `${pixels} ${this.of(pixels)?.name ?? ''}`;
  }
}

function refusal(request: DoubleRequest, code: ErrorCode, wait?: number): Reply {
  const { status, message } = ERRORS[code];
  const headers = { ...(wait !== undefined && { 'retry-after': `${Math.ceil(wait / 1_000)}` }) };
  if (isVersion1(request)) return v1RefusalReply(status, { code, message }, headers, wait);
  return refusalReply(status, { code, message }, headers);
}

function turning(times: readonly number[]): () => number {
  let next = 0;
  return () => times[next++ % times.length] ?? 0;
}

/** Milliseconds that no test waits. */
const FOREVER = 365 * 24 * 3_600_000;

function requestOf(request: DoubleRequest, url: string): Request {
  const { method, address, headers, body } = request;
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (/^(host|connection|content-length|transfer-encoding|expect)$/.test(name) || value === undefined)
      continue;
    for (const one of typeof value === 'string' ? [value] : value) sent.append(name, one);
  }
  const hasBody = body.length > 0 && method !== 'GET' && method !== 'HEAD';
  return new Request(url + address, { method, headers: sent, body: hasBody ? new Uint8Array(body) : null });
}

function listRequest(key: string): DoubleRequest {
  const headers = { authorization: `Bearer ${key}` };
  return doubleRequest({ number: 0, method: 'GET', address: '/v2/queue', headers, body: Buffer.alloc(0) });
}

async function replyOf(response: Response): Promise<Reply> {
  const headers: Record<string, string | string[]> = Object.fromEntries(response.headers);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const body = isStream && response.body ? response.body : Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers, body };
}
