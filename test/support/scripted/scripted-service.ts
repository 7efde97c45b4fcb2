import type { Dispatcher } from 'undici';
import { notBefore } from '../../../src/double/hosted/jobs.ts';
import { buildTexturesValue } from '../../../src/textures/property.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What a request asks for. */
export type Asked = 'submit' | 'list' | 'job' | 'me' | 'other';

/** An answer before it is sent; tests may change it. */
export interface ScriptedAnswer {
  status: number;
  readonly headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: an answer may be anything, that is what is tested
  body: any;
}

/** How the service behaves. Times in milliseconds. */
export interface Script {
  /** How long the n-th job takes, from 0; default: 450. */
  readonly serviceTime?: (job: number) => number;
  /** Maximum unfinished jobs of the caller; default: 5. */
  readonly limit?: number;
  /** Submissions per minute; more are refused. Every answer to a submission reports it. */
  readonly perMinute?: number;
  /** Whether the jobs of a caller with such a limit are spread over the minute, as published; default: false. */
  readonly spread?: boolean;
  /** Whether finished jobs say when they ended; default: false. */
  readonly tellsEnds?: boolean;
  /** How far the service's clock is ahead, in milliseconds. */
  readonly ahead?: number;
  /** Instead of an answer, without the request having been processed. */
  readonly instead?: (asked: Asked, at: number) => ScriptedAnswer | undefined;
  /** Changes an answer. `now`: the service's clock. */
  readonly alter?: (asked: Asked, answer: ScriptedAnswer, now: number) => void;
}

interface ScriptedJob {
  readonly id: string;
  readonly acceptedAt: number;
  readonly endsAt: number;
  /** As in the answer to its submission. */
  readonly eta: number;
}

/** Milliseconds that a request takes each way. */
const ONE_WAY = 5;
const WORKERS = 5;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** A service in memory that answers as the hosted one does, on a clock of the test's own. */
export class ScriptedService {
  /** When each request of a kind came in. */
  readonly requests: Record<Asked, number[]> = { submit: [], list: [], job: [], me: [], other: [] };
  readonly refusals: number[] = [];
  readonly jobs: ScriptedJob[] = [];
  mostUnfinished = 0;
  readonly #clock: VirtualClock;
  readonly #script: Script;
  readonly #freeAt: number[] = Array(WORKERS).fill(0);

  constructor(clock: VirtualClock, script: Script) {
    this.#clock = clock;
    this.#script = script;
  }

  /** What a client sends its requests through. */
  get dispatcher(): Dispatcher {
    const request = async ({ method, path }: { method: string; path: string }) => {
      await this.#clock.sleep(ONE_WAY);
      const answer = this.#answer(askedFor(method, path), path);
      await this.#clock.sleep(ONE_WAY);
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      return { statusCode: answer.status, headers: answer.headers, body: chunks(text) };
    };
    return { request } as unknown as Dispatcher;
  }

  get unfinished(): number {
    return this.jobs.filter(({ endsAt }) => endsAt > this.#at).length;
  }

  /** Someone else's job. */
  occupy(ms: number): void {
    this.#add(ms, this.#at);
  }

  get #at(): number {
    return this.#clock.monotonic();
  }

  get #now(): number {
    return this.#clock.now() + (this.#script.ahead ?? 0);
  }

  #answer(asked: Asked, path: string): ScriptedAnswer {
    this.requests[asked].push(this.#at);
    const instead = this.#script.instead?.(asked, this.#at);
    if (instead) return instead;
    const date = new Date(Math.floor(this.#now / 1000) * 1000).toUTCString();
    const answer = { ...this.#process(asked, path), headers: { date } as Record<string, string> };
    this.#script.alter?.(asked, answer, this.#now);
    return answer;
  }

  #process(asked: Asked, path: string): Omit<ScriptedAnswer, 'headers'> {
    switch (asked) {
      case 'submit':
        return this.#submit();
      case 'list':
        return { status: 200, body: { success: true, jobs: this.jobs.map((job) => this.#view(job)) } };
      case 'job':
        return this.#job(path.split('/').at(-1) ?? '');
      case 'me':
        return { status: 200, body: { success: true, user: 'u', grants: { concurrency: 5 } } };
      default:
        return { status: 404, body: refused('not_found') };
    }
  }

  #submit(): Omit<ScriptedAnswer, 'headers'> {
    const { limit = 5, perMinute, serviceTime = () => 450 } = this.#script;
    const refuse = (code: string) => {
      this.refusals.push(this.#at);
      return { status: 429, body: { ...refused(code), rateLimit: this.#rateLimit() } };
    };
    if (perMinute && this.#thisMinute() >= perMinute) return refuse('rate_limit');
    if (this.unfinished >= limit) return refuse('job_limit');
    const job = this.#add(serviceTime(this.jobs.length), this.#slot());
    const body = {
      success: true,
      job: { ...this.#view(job), status: 'waiting', eta: this.#onItsClock(job.eta) },
      rateLimit: this.#rateLimit(), // counts this one, as published
    };
    return { status: 202, body };
  }

  /** When a new job may start, which may be past. */
  #slot(): number {
    const { perMinute, spread } = this.#script;
    if (!spread || !perMinute) return Math.max(this.#at, Math.min(...this.#freeAt));
    const last = this.jobs.at(-1)?.acceptedAt;
    const lastJob = last === undefined ? undefined : this.#onItsClock(last);
    const slot = notBefore({ pending: this.unfinished, lastJob }, { limit: perMinute }, this.#now);
    return slot === undefined ? this.#at : slot + this.#at - this.#now;
  }

  #add(serviceTime: number, slot: number): ScriptedJob {
    const free = Math.min(...this.#freeAt);
    const endsAt = Math.max(this.#at, free, slot) + serviceTime;
    this.#freeAt[this.#freeAt.indexOf(free)] = endsAt;
    const id = (this.jobs.length + 1).toString(16).padStart(24, '0');
    const job = { id, acceptedAt: this.#at, endsAt, eta: slot + serviceTime };
    this.jobs.push(job);
    this.mostUnfinished = Math.max(this.mostUnfinished, this.unfinished);
    return job;
  }

  /** As the published source makes it: the hour's limit is never set, its end is. */
  #rateLimit() {
    const { perMinute = 0 } = this.#script;
    const used = this.#thisMinute();
    const remaining = Math.max(0, perMinute - used);
    const reset = (window: number) => Math.floor(this.#now / window) * (window / 1000) + window / 1000;
    const absolute = remaining > 0 || perMinute === 0 ? this.#now : reset(MINUTE) * 1000;
    const minute = { used, limit: perMinute, remaining, reset: reset(MINUTE) };
    return {
      next: { absolute, relative: absolute - this.#now },
      delay: { millis: 0, seconds: 0 },
      limit: { ...minute, minute, hour: { used: 3, limit: 0, remaining: 0, reset: reset(HOUR) } },
    };
  }

  #thisMinute(): number {
    const shift = this.#now - this.#at;
    const begun = Math.floor(this.#now / MINUTE) * MINUTE;
    return this.jobs.filter(({ acceptedAt }) => acceptedAt + shift >= begun).length;
  }

  #job(id: string): Omit<ScriptedAnswer, 'headers'> {
    const job = this.jobs.find((other) => other.id === id);
    if (!job) return { status: 404, body: refused('job_not_found') };
    const view = this.#view(job);
    const isDone = view.status === 'completed';
    return { status: 200, body: { success: true, job: view, ...(isDone && { skin: this.#skin(job) }) } };
  }

  #skin(job: ScriptedJob) {
    const { tellsEnds } = this.#script;
    return { ...skinOf(job), ...(tellsEnds && { generator: { timestamp: this.#onItsClock(job.endsAt) } }) };
  }

  #view({ id, acceptedAt, endsAt }: ScriptedJob) {
    const isDone = endsAt <= this.#at;
    const timestamp = this.#onItsClock(acceptedAt);
    return { id, timestamp, status: isDone ? 'completed' : 'processing', ...(isDone && { result: id }) };
  }

  #onItsClock(at: number): number {
    return this.#now + at - this.#at;
  }
}

function askedFor(method: string, path: string): Asked {
  if (method === 'POST') return 'submit';
  const [address = ''] = path.split('?', 1);
  if (address === '/v2/queue') return 'list';
  if (address.startsWith('/v2/queue/')) return 'job';
  return address === '/v2/me' ? 'me' : 'other';
}

export function refused(code: string, message = code) {
  return { success: false, errors: [{ code, message }] };
}

async function* chunks(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function skinOf({ id }: ScriptedJob) {
  const hash = id.padStart(64, '0');
  const url = `http://textures.example/texture/${hash}`;
  const value = buildTexturesValue({
    timestamp: 0,
    profileId: '0'.repeat(32),
    profileName: 'x',
    skin: { url, variant: 'classic' },
  });
  return {
    uuid: id.padStart(32, '0'),
    visibility: 'public',
    variant: 'classic',
    texture: { data: { value, signature: 'AAAA' }, hash: { skin: hash }, url: { skin: url } },
  };
}
