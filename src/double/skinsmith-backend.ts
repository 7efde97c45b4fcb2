import { devNull } from 'node:os';
import type { Clock } from '../base/clock.ts';
import { ERRORS } from '../protocol/errors.ts';
import { openEmbeddedService } from '../server/embedded.ts';
import { type Backend, DoubleError } from './backend.ts';
import { fateOf, type JobPlan } from './plans.ts';
import { type Reply, refusalReply } from './replies.ts';
import { type DoubleRequest, doubleRequest, submittedSkin } from './requests.ts';
import type { Scenario } from './scenario.ts';
import { fixtureKey } from './seed.ts';

interface SkinsmithDouble {
  readonly url: string;
  readonly clock: Clock;
  readonly scenario: Scenario;
  readonly key: string;
}

/** What happened to a picture so far. */
interface PlannedPicture {
  readonly plan: JobPlan;
  attempts: number;
}

/** Our own service, in memory. The double's user is its owner. @throws DoubleError */
export async function skinsmithBackend({ url, clock, scenario, key }: SkinsmithDouble): Promise<Backend> {
  const { time = 40, workers } = usableService(scenario);
  /** By pixel hash. */
  const planned = new Map<string, PlannedPicture>();
  const pace = Array.isArray(time) ? turning(time) : () => time;
  const service = await openEmbeddedService({
    dataDir: devNull,
    inMemory: { signingKey: fixtureKey(), apiKey: key },
    publicUrl: url,
    clock,
    ...(workers !== undefined && { workers }),
    rehearse: async (hash, signal) => {
      const picture = planned.get(hash);
      const duration = picture?.plan.serviceTime ?? pace();
      if (duration > 0) await clock.sleep(Math.min(duration, FOREVER), signal);
      const fate = picture && fateOf(picture.plan.fate, ++picture.attempts);
      return fate?.kind === 'fails' ? fate.code : undefined;
    },
  });
  const answer = async (request: DoubleRequest): Promise<Reply> =>
    replyOf(await service.fetch(requestOf(request, url)));
  return {
    key,
    answer: async (request, plan) => {
      if (!plan) return await answer(request);
      const { fate } = plan;
      const skin = await submittedSkin(request);
      if (fate?.kind === 'refused') return refusal(fate.code);
      if (fate?.kind === 'wrong' || fate?.kind === 'forgotten' || plan.polls !== undefined) return cannot();
      // What it should have already is made beforehand, in no time.
      const lasting = plan.isKnown ? { ...plan, serviceTime: 0 } : plan;
      if (skin?.pixels !== undefined)
        planned.set(skin.pixels, planned.get(skin.pixels) ?? { plan: lasting, attempts: 0 });
      if (plan.isKnown) await answer({ ...request, method: 'POST', address: '/v2/generate' });
      return await answer(request);
    },
    refuse: (_, code, { wait = 0 }) => refusal(code, { 'retry-after': `${Math.ceil(wait / 1_000)}` }),
    unfinished: async () => {
      const list = await answer(listRequest(key));
      const { jobs = [] } = JSON.parse((list.body as Buffer).toString('utf8')) as {
        jobs?: { status: string }[];
      };
      return jobs.filter(({ status }) => status === 'waiting' || status === 'processing').length;
    },
    close: async () => await service.close({ limit: 0 }),
  };
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
    const [kind] = (['wrong', 'forgottenAfter', 'polls'] as const).filter(
      (name) => effect.job?.[name] !== undefined,
    );
    if (kind) throw cannotAs(`job.${kind}`);
  }
  return { ...(time !== undefined && { time }), ...(workers !== undefined && { workers }) };
}

function cannotAs(what: string): DoubleError {
  return new DoubleError(
    'scenario_unsupported',
    `A double of skinsmith cannot do ${what}; one of the hosted service can.`,
  );
}

function cannot(): Reply {
  return refusalReply(400, { code: 'validation_error', message: cannotAs('this').message });
}

function refusal(code: keyof typeof ERRORS, headers: Reply['headers'] = {}): Reply {
  return refusalReply(ERRORS[code].status, { code, message: ERRORS[code].message }, headers);
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
  return new Request(url + address, {
    method,
    headers: sent,
    ...(hasBody && { body: new Uint8Array(body) }),
  });
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
