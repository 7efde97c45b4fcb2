import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { LONGEST_TIMER, systemClock } from '../../base/clock.ts';
import { ERRORS } from '../../protocol/errors.ts';
import { DOUBLE_START } from '../clock.ts';
import type { Fault, Refused } from '../faults.ts';
import type { JobPlan } from '../plans.ts';
import { altered, jsonReply, pageReply, type Reply, withBody } from '../replies.ts';
import { type DoubleRequest, isVersion1, type RequestKind } from '../requests.ts';
import { DOUBLE_KEY, fixtureKey, Seed } from '../seed.ts';
import { Intake, type Taken } from './intake.ts';
import {
  acceptedAnswer,
  duplicateAnswer,
  errorAnswer,
  failureOf,
  fakeJobAnswer,
  internalError,
  jobAnswer,
  linkJob,
  listAnswer,
  notFoundAnswer,
} from './job-answers.ts';
import { type HostedJob, statusOf } from './jobs.ts';
import { type HostedOptions, latencyOf } from './options.ts';
import { OBJECT_ID, readSubmission, readVersion1 } from './requests.ts';
import { SkinRequests, SkinSigner, skinToJson } from './skins.ts';
import { Version1, v1GeneratedAnswer } from './version-1.ts';
import {
  blockConcurrency,
  blockDelay,
  blockRate,
  type CallerKind,
  HostedRefusal,
  InvalidRequest,
  lookUpDelay,
  lookUpRate,
  MINUTE,
  makeRateLimitInfo,
  newVisit,
  parseOrRefuse,
  type RateRule,
  requireUser,
  success,
  Traffic,
  type Visit,
  verifyKey,
} from './visit.ts';

const USER = 'ef4c52b01fea4715982d8e67fd93ef2d';
/** Seconds: `GenerateTimeout`. */
const TIMEOUT = z.coerce.number().int().positive().max(30).default(10);

type Handler = (visit: Visit, closing: AbortSignal) => Promise<Reply> | Reply;

/**
 * An imitation of the hosted service, built answer by answer from its published server (MineSkin/api.mineskin.org,
 * February 2026). This is where each behaviour comes from, and where it is here:
 *
 * | behaviour | published source | here |
 * |---|---|---|
 * | who asks; 403 with two errors; `no_api_key` warning | middleware/apikey `verifyApiKey` | visit.ts `verifyKey` |
 * | shape of a success: no `errors` | middleware/response `formatV2Response` | visit.ts `success` |
 * | shape of a refusal: `success`, `errors`, `rateLimit`, no links; zod errors; 404 | middleware/error | job-answers.ts `errorAnswer` |
 * | rate limit in body and headers, zeros when not looked up, `hour.limit` always 0 | generator/v2/V2GenerateHandler `makeRateLimitInfo` | visit.ts `makeRateLimitInfo` |
 * | what is looked up and refused before a POST, by flags only | routes/v2/queue, routes/v2/generate, middleware/rateLimit | visit.ts, api.ts `#take` |
 * | order of checks of a submission; it counts before its picture is read | models/v2/generate `v2SubmitGeneratorJob` | intake.ts `take` |
 * | one file, five fields, the option schemas | models/v2/generate `upload`, validation/generate | requests.ts |
 * | jobs spread over the minute | models/v2/generate `v2SubmitGeneratorJob` (notBefore) | jobs.ts `notBefore` |
 * | `next.absolute` 50 ms later per pending job | the same | intake.ts `take` |
 * | 503 `service_unavailable` when generation is switched off | the same (api.block_skin_generation) | intake.ts `#checkSwitch` |
 * | 202 with `eta`; duplicates as made-up jobs `f4c3…` | models/v2/generate `v2GenerateEnqueue`, `saveFakeJob` | job-answers.ts, jobs.ts `etaOf` |
 * | a job: strict id, no key needed, no `eta`, failures in a 200 | models/v2/generate `v2GetJob` | job-answers.ts `jobAnswer` |
 * | the list: by key, three hours, `result`; 401 without a key | models/v2/generate `v2ListJobs` | jobs.ts `list`, job-answers.ts |
 * | waiting for a skin, 500 `generator_timeout` without a link to the job | models/v2/generate `v2GenerateAndWait` | api.ts `#generate` |
 * | a skin; rows of lists; editing and deleting | generator/v2/V2GenerateHandler `skinToJson`, models/v2/skins | skins.ts |
 * | /v2/me, 404 without a user | models/v2/me `v2GetMe` | api.ts `#me` |
 * | /v2/delay under `rateLimit`, without windows | models/v2/delay `v2GetDelay` | api.ts `#delay` |
 * | GET / | index `init` | api.ts |
 * | version 1: `/generate/…` as version 2 in another form; its errors | routes/generate, util/compat, index `errorHandler` | version-1.ts, requests.ts `readVersion1` |
 * | `/get/…`, `/validate/…` | routes/get, routes/util | version-1.ts |
 *
 * Assumed, because it is in packages that are not published: that a minute begins with its first request (as the
 * documentation's examples have it) and the hour with the clock's; that a queue of 5 takes five jobs; when a job
 * counts as ended; the order of the list; the texts of failed jobs; what makes a picture a duplicate (the same
 * pixels, variant), whose name and visibility it keeps; 20,000 bytes for a file; the form of a skin in version 1.
 * Left out: capes, cookies, random pauses of up to 200 ms for callers without a key, grants that are refused,
 * rules about who may edit for how long. Different on purpose: textures are served here and not by the game;
 * pictures behind addresses and of players are plain ones, of a colour of their own (`pictureBehind`); version 1
 * makes players' skins as it makes others.
 */
export class HostedApi {
  readonly intake: Intake;
  key: string;
  readonly #maker: SkinSigner;
  readonly #skins: SkinRequests;
  readonly #version1: Version1;
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
    'v1-generate': (visit, closing) => this.#generate(visit, closing),
    'v1-skin': (visit) => this.#version1.skin(visit),
    'v1-delay': (visit) => this.#version1.delay(visit),
    'v1-list': (visit) => this.#version1.list(visit),
    'v1-player': (visit) => this.#version1.player(visit),
    root: () => jsonReply(200, { msg: 'Hi!' }),
    other: notFoundAnswer,
  };

  /** `url`: the service's root. */
  constructor(url: string, options: HostedOptions) {
    const {
      signingKey = fixtureKey(),
      seed = new Seed(randomUUID()),
      texturesUrl = `${url}/textures`,
    } = options;
    this.#maker = new SkinSigner(texturesUrl, { signingKey, seed });
    this.#options = options;
    this.key = options.key ?? DOUBLE_KEY;
    this.intake = new Intake(this.#maker, seed, options);
    this.#skins = new SkinRequests(this.intake.skins);
    this.#version1 = new Version1(this.intake.skins);
    const { rate, delay } = options;
    this.#traffic = { user: new Traffic(rate, delay), anonymous: new Traffic(rate, delay) };
  }

  /** Changes every caller's rate limit; undefined: none. */
  set rate(rule: RateRule | undefined) {
    for (const traffic of Object.values(this.#traffic)) traffic.rule = rule;
  }

  /** Milliseconds since the epoch, by the service's clock. */
  now(): number {
    const { clock = systemClock, clockOffset = 0 } = this.#options;
    return clock.now() + clockOffset;
  }

  /** The answer after the latency of both ways. `onProcessed`: called before the way back. */
  async answerFromAfar(
    request: DoubleRequest,
    closing: AbortSignal,
    { plan, onProcessed }: { plan?: JobPlan | undefined; onProcessed?: (reply: Reply) => void } = {},
  ): Promise<Reply> {
    const { clock = systemClock } = this.#options;
    const wait = latencyOf(this.#options, request.kind);
    if (wait > 0) await clock.sleep(wait, closing);
    const reply = await this.answer(request, closing, plan);
    onProcessed?.(reply);
    if (wait > 0) await clock.sleep(wait, closing);
    return reply;
  }

  async answer(request: DoubleRequest, closing: AbortSignal, plan?: JobPlan): Promise<Reply> {
    const answer = await this.#answer(request, closing, plan);
    const date = new Date(this.now()).toUTCString();
    const reply = { ...answer, headers: { date, ...answer.headers } };
    return this.#options.alter ? altered(reply, request, this.#options.alter) : reply;
  }

  /** The refusal of a fault, in the words of the service. */
  refuse(request: DoubleRequest, code: Refused, { wait, says }: Pick<Fault, 'wait' | 'says'>): Reply {
    const visit = this.#visit(request, 'user');
    lookUpRate(visit);
    if (code !== 'rate_limit')
      return errorAnswer(new HostedRefusal(ERRORS[code].status, code, ERRORS[code].message), visit);
    return this.#tooFast(visit, { ...(wait !== undefined && { wait }), ...(says && { says }) });
  }

  async #answer(request: DoubleRequest, closing: AbortSignal, plan?: JobPlan): Promise<Reply> {
    const now = this.#asOf(request);
    let visit = this.#visit(request, 'anonymous', { now });
    try {
      const { caller, warnings } = verifyKey(request, this.key);
      visit = this.#visit(request, caller, { now, plan });
      visit.warnings.push(...warnings);
      return await this.#handlers[request.kind](visit, closing);
    } catch (error) {
      if (error instanceof HostedRefusal || error instanceof InvalidRequest) return errorAnswer(error, visit);
      if (error instanceof SyntaxError) return internalError(); // a body that is no JSON
      throw error;
    }
  }

  /** The time of the state that the answer to a request shows. */
  #asOf(request: DoubleRequest): number {
    const { lag = () => 0 } = this.#options;
    return this.now() - (request.method === 'GET' ? lag(request) : 0);
  }

  #visit(
    request: DoubleRequest,
    caller: CallerKind,
    { now = this.now(), plan }: { now?: number; plan?: JobPlan | undefined } = {},
  ): Visit {
    return newVisit({ request, caller, now, plan, traffic: this.#traffic[caller], warnings: [] });
  }

  async #submit(visit: Visit): Promise<Reply> {
    const taken = await this.#take(visit);
    return taken.kind === 'duplicate'
      ? duplicateAnswer(visit, taken.duplicate)
      : acceptedAnswer(visit, taken.job);
  }

  async #take(visit: Visit): Promise<Taken> {
    const { request } = visit;
    const waits = request.kind !== 'submit';
    lookUpRate(visit);
    if (waits) lookUpDelay(visit);
    blockRate(visit, this.intake.flags);
    if (waits) blockDelay(visit);
    if (waits && visit.plan?.polls !== undefined)
      throw new HostedRefusal(400, 'validation_error', 'A caller that waits for its skin polls no job.');
    const concurrent = this.intake.book.unfinished(visit.caller, visit.now);
    blockConcurrency(concurrent, this.#concurrency, this.intake.flags);
    const submission = await (isVersion1(request) ? readVersion1(request) : readSubmission(request));
    visit.now = this.now();
    return await this.intake.take(visit, submission);
  }

  /** `v2GenerateAndWait` */
  async #generate(visit: Visit, closing: AbortSignal): Promise<Reply> {
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

  /** The refusal has no link to the job, which continues. */
  async #waitedFor(visit: Visit, job: HostedJob): Promise<Reply> {
    const status = statusOf(job, this.now());
    const { code, message } = failureOf(job);
    if (status === 'failed') throw new HostedRefusal(ERRORS[code].status, code, message);
    if (status !== 'completed')
      throw new HostedRefusal(500, 'generator_timeout', 'generator request timed out');
    return generatedAnswer(visit, await job.skin, false);
  }

  /** `v2ListJobs` */
  #list(visit: Visit): Reply {
    if (visit.caller !== 'user') throw new HostedRefusal(401, 'unauthorized', 'no client info');
    return listAnswer(visit, this.intake.book.list(visit.now));
  }

  /** `v2GetJob`: everyone who knows the id may see the job. */
  async #job(visit: Visit): Promise<Reply> {
    const id = parseOrRefuse(OBJECT_ID, visit.request.subject);
    const job = this.intake.book.find(id, visit.now);
    const fake = this.intake.fakeJob(id);
    if (!job && !fake) throw new HostedRefusal(404, 'job_not_found', `Job not found: ${id}`);
    const wait = (this.#looks.get(id) ?? 0) + (this.#options.lookGap ?? 0) - this.now();
    if (wait > 0) return this.#tooFast(visit, { wait, says: 'next' });
    this.#looks.set(id, this.now());
    if (job) this.intake.book.polled(job, this.now());
    return job ? await jobAnswer(visit, job) : fakeJobAnswer(visit, fake!);
  }

  /** `v2GetMe` */
  #me(visit: Visit): Reply {
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
  #keyInfo(visit: Visit): Reply {
    requireUser(visit);
    const key = { id: '21702ac21ab744d32b004fe0', name: 'test', user: USER };
    const unbound = { allowedOrigins: [], allowedIps: [], allowedAgents: [] };
    const createdAt = new Date(DOUBLE_START).toISOString();
    return success(visit, { key: { ...key, createdAt, ...unbound, useCredits: false } });
  }

  /** `v2GetDelay`: only what is under `rateLimit`, with no windows in its `limit`, and nothing around it. */
  #delay({ traffic, now }: Visit): Reply {
    const limit = traffic.rule?.limit ?? 0;
    const { used, reset } = traffic.minute(now);
    const absolute = traffic.nextRequest || now;
    const rateLimit = {
      delay: { millis: traffic.delay, seconds: traffic.delay / 1000 },
      next: { absolute, relative: Math.max(0, absolute - now) },
      limit: { limit, remaining: Math.max(0, limit - used), reset },
    };
    return jsonReply(200, { success: true, rateLimit });
  }

  #texture(hash: string): Reply {
    const png = this.#maker.texture(hash);
    if (!png) return pageReply(404, 'Not Found');
    return withBody({ status: 200, headers: { 'content-type': 'image/png' } }, png);
  }

  get #concurrency(): number {
    const { concurrency, workers = 5 } = this.#options;
    return concurrency ?? Math.max(1, workers);
  }

  #tooFast(visit: Visit, { wait = 0, says = 'seconds' }: Pick<Fault, 'wait' | 'says'>): Reply {
    const { now } = visit;
    visit.nextRequest = now + wait;
    const reply = errorAnswer(new HostedRefusal(429, 'rate_limit', 'request too soon'), visit);
    const { 'retry-after': _, ...headers } = reply.headers;
    if (says === 'next') return { ...reply, headers };
    const seconds = `${Math.ceil(wait / 1000)}`;
    const date = new Date(Math.ceil((now + wait) / 1000) * 1000).toUTCString();
    return { ...reply, headers: { ...headers, 'retry-after': says === 'date' ? date : seconds } };
  }

  /** Timers may ring a little early. */
  async #until(time: number, signal: AbortSignal): Promise<void> {
    const { clock = systemClock } = this.#options;
    while (this.now() < time) await clock.sleep(Math.min(time - this.now(), LONGEST_TIMER), signal);
  }
}

function generatedAnswer(visit: Visit, skin: Parameters<typeof skinToJson>[0], duplicate: boolean): Reply {
  if (isVersion1(visit.request)) return v1GeneratedAnswer(visit, skin, duplicate);
  visit.links['skin'] = `/v2/skins/${skin.uuid}`;
  const rateLimit = makeRateLimitInfo(visit, 200);
  return success(visit, { skin: skinToJson(skin, duplicate), rateLimit, ...(!duplicate && { usage: {} }) });
}
