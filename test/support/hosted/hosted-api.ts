import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ERRORS } from '../../../src/protocol/errors.ts';
import { altered } from './alter.ts';
import { type Answer, page, success } from './answers.ts';
import { errorAnswer, internalError, notFoundAnswer } from './error-answers.ts';
import { Intake, type Taken } from './intake.ts';
import {
  acceptedAnswer,
  duplicateAnswer,
  failureOf,
  fakeJobAnswer,
  jobAnswer,
  linkJob,
  listAnswer,
} from './job-answers.ts';
import { type HostedJob, statusOf } from './job-book.ts';
import type { HostedOptions } from './options.ts';
import {
  blockConcurrency,
  blockDelay,
  blockHour,
  blockRate,
  lookUpDelay,
  lookUpRate,
  makeRateLimitInfo,
} from './rate-limits.ts';
import { HostedRefusal, InvalidRequest, parseOrRefuse } from './refusals.ts';
import type { HostedRequest, RequestKind } from './requests.ts';
import { SkinMaker } from './skin-maker.ts';
import { SkinRequests, skinToJson } from './skin-requests.ts';
import { OBJECT_ID, readSubmission } from './submission.ts';
import { MINUTE, type RateRule, Traffic } from './traffic.ts';
import { type CallerKind, newVisit, requireUser, type Visit, verifyKey } from './visit.ts';
import type { Trouble } from './weather.ts';

/** The key of the service's only user, unless told otherwise. */
const HOSTED_KEY = '5eedf00d'.repeat(9);
const USER = 'ef4c52b01fea4715982d8e67fd93ef2d';
/** Seconds: `GenerateTimeout`. */
const TIMEOUT = z.coerce.number().int().positive().max(30).default(10);

type Handler = (visit: Visit, closing: AbortSignal) => Promise<Answer> | Answer;

/** What trouble refuses with. */
export type Refused = 'rate_limit' | 'job_limit' | 'concurrency_limit' | 'service_unavailable';

/** Answers requests: who may ask, and what there is to say. */
export class HostedApi {
  readonly intake: Intake;
  key: string;
  readonly #maker: SkinMaker;
  readonly #skins: SkinRequests;
  readonly #options: HostedOptions;
  readonly #traffic: Readonly<Record<CallerKind, Traffic>>;
  /** When each job was last looked at. */
  readonly #looks = new Map<string, number>();
  readonly #handlers: Readonly<Record<RequestKind, Handler>> = {
    submit: (visit) => this.#submit(visit),
    generate: (visit, closing) => this.#generate(visit, closing),
    list: (visit) => this.#list(visit),
    job: (visit) => this.#job(visit),
    me: (visit) => this.#me(visit),
    key: (visit) => this.#keyInfo(visit),
    'own-skins': (visit) => this.#skins.list(visit, 'own'),
    delay: (visit) => this.#delay(visit),
    skins: (visit) => this.#skins.list(visit, 'public'),
    skin: (visit) => this.#skins.get(visit),
    edit: (visit) => this.#skins.edit(visit),
    delete: (visit) => this.#skins.delete(visit),
    'skin-texture': (visit) => this.#skins.texture(visit),
    capes: (visit) => success(visit, { capes: [] }),
    texture: ({ request }) => this.#texture(request.subject),
    root: () => ({ status: 200, headers: {}, content: { msg: 'Hi!' } }),
    records: () => ({ status: 200, headers: {}, content: { ...this.intake.records } }),
    other: notFoundAnswer,
  };

  private constructor(maker: SkinMaker, url: string, options: HostedOptions) {
    this.#maker = maker;
    this.#options = options;
    this.key = options.key ?? HOSTED_KEY;
    this.intake = new Intake(maker, options);
    this.#skins = new SkinRequests(this.intake.skins, url);
    const { rate, delay } = options;
    this.#traffic = { user: new Traffic(rate, delay), anonymous: new Traffic(rate, delay) };
  }

  /** `url`: the service's root. */
  static async open(url: string, options: HostedOptions): Promise<HostedApi> {
    return new HostedApi(await SkinMaker.open(url, options.signingKeyPath), url, options);
  }

  /** Changes every caller's rate limit; undefined: none. */
  set rate(rule: RateRule | undefined) {
    for (const traffic of Object.values(this.#traffic)) traffic.rule = rule;
  }

  /** Milliseconds since the epoch, by the service's clock. */
  now(): number {
    const { now = Date.now, clockOffset = 0 } = this.#options;
    return now() + clockOffset;
  }

  async answer(request: HostedRequest, closing: AbortSignal): Promise<Answer> {
    const answer = await this.#answer(request, closing);
    const date = new Date(this.now()).toUTCString();
    const dated = { ...answer, headers: { date, ...answer.headers } };
    return altered(dated, request, this.#options.alter);
  }

  /** What trouble refuses with, in the way that it says. */
  refuse(request: HostedRequest, code: Refused, trouble: Trouble): Answer {
    const visit = this.#visit(request, 'user');
    lookUpRate(visit);
    if (code !== 'rate_limit')
      return errorAnswer(new HostedRefusal(ERRORS[code].status, code, ERRORS[code].message), visit);
    return this.#tooFast(visit, trouble);
  }

  async #answer(request: HostedRequest, closing: AbortSignal): Promise<Answer> {
    const now = this.#asOf(request);
    let visit = this.#visit(request, 'anonymous', now);
    try {
      const { caller, warnings } = verifyKey(request, this.key);
      visit = this.#visit(request, caller, now);
      visit.warnings.push(...warnings);
      return await this.#handlers[request.kind](visit, closing);
    } catch (error) {
      if (error instanceof HostedRefusal || error instanceof InvalidRequest) return errorAnswer(error, visit);
      if (error instanceof SyntaxError) return internalError(); // a body that is no JSON
      throw error;
    }
  }

  /** When the service was as the answer to a request shows it. */
  #asOf(request: HostedRequest): number {
    const { lag = () => 0 } = this.#options;
    return this.now() - (request.method === 'GET' ? lag(request) : 0);
  }

  #visit(request: HostedRequest, caller: CallerKind, now = this.now()): Visit {
    return newVisit({ request, caller, now, traffic: this.#traffic[caller], warnings: [] });
  }

  async #submit(visit: Visit): Promise<Answer> {
    const taken = await this.#take(visit);
    return taken.kind === 'duplicate'
      ? duplicateAnswer(visit, taken.duplicate)
      : acceptedAnswer(visit, taken.job);
  }

  async #take(visit: Visit): Promise<Taken> {
    lookUpRate(visit);
    if (visit.request.kind === 'generate') lookUpDelay(visit);
    blockRate(visit, this.intake.flags);
    blockHour(visit);
    if (visit.request.kind === 'generate') blockDelay(visit);
    const concurrent = this.intake.book.unfinished(visit.caller, visit.now);
    blockConcurrency(concurrent, this.#concurrency, this.intake.flags);
    const submission = await readSubmission(visit.request);
    visit.now = this.now();
    return await this.intake.take(visit, submission);
  }

  /** `v2GenerateAndWait` */
  async #generate(visit: Visit, closing: AbortSignal): Promise<Answer> {
    const taken = await this.#take(visit);
    if (taken.kind === 'duplicate') return generatedAnswer(visit, taken.duplicate.skin, true);
    linkJob(visit, taken.job.id);
    if (visit.request.query.get('checkOnly'))
      throw new HostedRefusal(400, 'no_duplicate', 'No duplicate found');
    const timeout = parseOrRefuse(TIMEOUT, visit.request.query.get('timeout') ?? undefined) * 1000;
    const { endsAt, acceptedAt } = taken.job;
    await this.#until(Math.min(endsAt, acceptedAt + (this.#options.patience ?? timeout)), closing);
    return await this.#waitedFor(visit, taken.job);
  }

  /** What a refusal says is all: it has no link to the job, which goes on. */
  async #waitedFor(visit: Visit, job: HostedJob): Promise<Answer> {
    const status = statusOf(job, this.now());
    const { code, message } = failureOf(job);
    if (status === 'failed') throw new HostedRefusal(ERRORS[code].status, code, message);
    if (status !== 'completed')
      throw new HostedRefusal(500, 'generator_timeout', 'generator request timed out');
    return generatedAnswer(visit, await job.skin, false);
  }

  /** `v2ListJobs` */
  #list(visit: Visit): Answer {
    if (visit.caller !== 'user') throw new HostedRefusal(401, 'unauthorized', 'no client info');
    return listAnswer(visit, this.intake.book.list(visit.now));
  }

  /** `v2GetJob`: whoever knows the id may look. */
  async #job(visit: Visit): Promise<Answer> {
    const id = parseOrRefuse(OBJECT_ID, visit.request.subject);
    const job = this.intake.book.find(id, visit.now);
    const fake = this.intake.fakeJob(id);
    if (!job && !fake) throw new HostedRefusal(404, 'job_not_found', `Job not found: ${id}`);
    const wait = (this.#looks.get(id) ?? 0) + (this.#options.lookGap ?? 0) - this.now();
    if (wait > 0) return this.#tooFast(visit, { wait, says: 'next' });
    this.#looks.set(id, this.now());
    return job ? await jobAnswer(visit, job) : fakeJobAnswer(visit, fake!);
  }

  /** `v2GetMe` */
  #me(visit: Visit): Answer {
    Object.assign(visit.links, { self: '/v2/me', client: '/v2/me/client' });
    if (visit.caller !== 'user') throw new HostedRefusal(404, 'user_not_found', 'User not found');
    Object.assign(visit.links, { key: '/v2/me/apikey', user: '/v2/me' });
    const { rate, delay = 0, grants = {} } = this.#options;
    const perMinute = rate && Math.round((rate.limit * MINUTE) / (rate.window ?? MINUTE));
    const perHour = rate?.perHour !== undefined && { per_hour: rate.perHour };
    const limits = { delay: delay / 1000, ...(perMinute && { per_minute: perMinute }), ...perHour };
    const rest = { priority: 0, ad_free: true, private_skins: true, capes: true, plan: 'test' };
    return success(visit, {
      user: USER,
      grants: { ...limits, concurrency: this.#concurrency, ...rest, ...grants },
    });
  }

  /** `v2GetKeyInfo` */
  #keyInfo(visit: Visit): Answer {
    requireUser(visit);
    return success(visit, { key: { id: '21702ac21ab744d32b004fe0', name: 'test', user: USER } });
  }

  /** `v2GetDelay`: only what is under `rateLimit`, with no windows in its `limit`, and nothing around it. */
  #delay({ traffic, now }: Visit): Answer {
    const limit = traffic.rule?.limit ?? 0;
    const { used, reset } = traffic.minute(now);
    const absolute = traffic.nextRequest || now;
    const rateLimit = {
      delay: { millis: traffic.delay, seconds: traffic.delay / 1000 },
      next: { absolute, relative: Math.max(0, absolute - now) },
      limit: { limit, remaining: Math.max(0, limit - used), reset },
    };
    return { status: 200, headers: {}, content: { success: true, rateLimit } };
  }

  #texture(hash: string): Answer {
    const content = this.#maker.texture(hash);
    return content ? { status: 200, headers: {}, content } : page(404, 'Not Found');
  }

  get #concurrency(): number {
    const { concurrency, workers = 5 } = this.#options;
    return concurrency ?? Math.max(1, workers);
  }

  #tooFast(visit: Visit, { wait = 0, says = 'seconds' }: Pick<Trouble, 'wait' | 'says'>): Answer {
    const { now } = visit;
    visit.nextRequest = now + wait;
    const { status, headers, content } = errorAnswer(
      new HostedRefusal(429, 'rate_limit', 'request too soon'),
      visit,
    );
    const { 'retry-after': _, ...rest } = headers;
    if (says === 'next') return { status, headers: rest, content };
    const seconds = `${Math.ceil(wait / 1000)}`;
    const date = new Date(Math.ceil((now + wait) / 1000) * 1000).toUTCString();
    return { status, headers: { ...rest, 'retry-after': says === 'date' ? date : seconds }, content };
  }

  /** Timers may ring a little early. */
  async #until(time: number, signal: AbortSignal): Promise<void> {
    while (this.now() < time) await sleep(Math.min(time - this.now(), 2 ** 31 - 1), undefined, { signal });
  }
}

function generatedAnswer(visit: Visit, skin: Parameters<typeof skinToJson>[0], duplicate: boolean): Answer {
  visit.links['skin'] = `/v2/skins/${skin.uuid}`;
  const rateLimit = makeRateLimitInfo(visit, 200);
  return success(visit, { skin: skinToJson(skin, duplicate), rateLimit, ...(!duplicate && { usage: {} }) });
}
