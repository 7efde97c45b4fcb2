import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_WAIT_SECONDS } from '../../../src/protocol/generate.ts';
import { type Answer, page, refusal, success, withLimits } from './answers.ts';
import { Intake, type Taken } from './intake.ts';
import { acceptedAnswer, duplicateAnswer, failureOf, jobAnswer, jobLinks, jobView } from './job-answers.ts';
import { type HostedJob, statusOf } from './job-book.ts';
import type { HostedOptions } from './options.ts';
import { rateRefusal } from './rate-window.ts';
import type { HostedRequest, RequestKind } from './requests.ts';
import { SkinMaker } from './skin-maker.ts';
import { readSubmission } from './submission.ts';

/** The key of the service's only caller, unless told otherwise. */
const HOSTED_KEY = '5eedf00d'.repeat(9);
const USER = 'ef4c52b01fea4715982d8e67fd93ef2d';

type Handler = (request: HostedRequest, closing: AbortSignal) => Promise<Answer> | Answer;

/** Answers requests: who may ask, and what there is to say. */
export class Desk {
  readonly intake: Intake;
  readonly key: string;
  readonly #maker: SkinMaker;
  readonly #options: HostedOptions;
  /** When each job was last looked at. */
  readonly #looks = new Map<string, number>();
  readonly #handlers: Readonly<Record<RequestKind, Handler>> = {
    submit: this.#withKey((request) => this.#submit(request)),
    generate: this.#withKey((request, closing) => this.#generate(request, closing)),
    list: this.#withKey(() => this.#list()),
    job: this.#withKey(({ subject }) => this.#job(subject)),
    me: this.#withKey(() => this.#me()),
    skin: ({ subject }) => this.#skin(subject),
    texture: ({ subject }) => this.#texture(subject),
    root: () => page(200, 'Skins'),
    records: () => ({ status: 200, headers: {}, content: { ...this.intake.records } }),
    other: () => refusal('not_found'),
  };

  private constructor(maker: SkinMaker, options: HostedOptions) {
    this.#maker = maker;
    this.#options = options;
    this.key = options.key ?? HOSTED_KEY;
    this.intake = new Intake(maker, options);
  }

  /** `url`: the service's root. */
  static async open(url: string, options: HostedOptions): Promise<Desk> {
    return new Desk(await SkinMaker.open(url, options.signingKeyPath), options);
  }

  async answer(request: HostedRequest, closing: AbortSignal): Promise<Answer> {
    return await this.#handlers[request.kind](request, closing);
  }

  #withKey(handler: Handler): Handler {
    return async (request, closing) => {
      const { authorization } = request.headers;
      if (authorization === undefined) return refusal('unauthorized');
      if (authorization !== `Bearer ${this.key}`) return refusal('invalid_api_key');
      return await handler(request, closing);
    };
  }

  async #submit(request: HostedRequest): Promise<Answer> {
    const taken = await this.#take(request);
    if (taken.kind === 'refusal') return taken.answer;
    if (taken.kind === 'duplicate') return this.#limited(duplicateAnswer(taken.duplicate));
    return this.#limited(acceptedAnswer(taken.job, this.#options.eta ?? 0));
  }

  async #generate(request: HostedRequest, closing: AbortSignal): Promise<Answer> {
    const taken = await this.#take(request);
    if (taken.kind === 'refusal') return taken.answer;
    if (taken.kind === 'duplicate') return this.#limited(success({ skin: taken.duplicate.skin, usage: {} }));
    const { endsAt, acceptedAt } = taken.job;
    const patience = Number(request.query.get('timeout') ?? DEFAULT_WAIT_SECONDS) * 1000;
    await until(Math.min(endsAt, acceptedAt + patience), closing);
    return this.#limited(await generatedAnswer(taken.job));
  }

  async #take(request: HostedRequest): Promise<Taken> {
    const submission = await readSubmission(request);
    if ('status' in submission) return { kind: 'refusal', answer: submission };
    return await this.intake.take(submission);
  }

  #list(): Answer {
    const now = Date.now();
    return success({ jobs: this.intake.book.list(now).map((job) => jobView(job, now)) });
  }

  async #job(id: string): Promise<Answer> {
    const now = Date.now();
    const job = this.intake.book.find(id, now);
    const duplicate = this.intake.duplicate(id);
    if (!job && !duplicate) return refusal('job_not_found');
    const wait = (this.#looks.get(id) ?? 0) + (this.#options.lookGap ?? 0) - now;
    if (wait > 0) return rateRefusal(this.intake.rate, { wait, says: 'next', now });
    this.#looks.set(id, now);
    return job ? await jobAnswer(job, now) : duplicateAnswer(duplicate!);
  }

  #me(): Answer {
    const { workers = 5, rate, grants = {} } = this.#options;
    const perMinute = rate ? Math.round((rate.limit * 60_000) / rate.window) : 1000;
    const limits = {
      delay: 0,
      per_minute: perMinute,
      per_hour: perMinute * 60,
      concurrency: Math.max(1, workers),
    };
    const rest = { priority: 0, ad_free: true, private_skins: true, capes: true, plan: 'test' };
    return this.#limited(success({ user: USER, grants: { ...limits, ...rest, ...grants } }));
  }

  async #skin(uuid: string): Promise<Answer> {
    const skin = await this.intake.skin(uuid, Date.now());
    return skin ? success({ skin }) : refusal('skin_not_found');
  }

  #texture(hash: string): Answer {
    const content = this.#maker.texture(hash);
    return content ? { status: 200, headers: {}, content } : page(404, 'Not Found');
  }

  #limited(answer: Answer): Answer {
    return withLimits(answer, this.intake.rate.report(Date.now()));
  }
}

/** What POST /v2/generate answers when the job has ended, or its patience has. */
async function generatedAnswer(job: HostedJob): Promise<Answer> {
  const status = statusOf(job, Date.now());
  const { job: link } = jobLinks(job.id);
  if (status === 'failed') return refusal(failureOf(job).code, { links: { job: link } });
  if (status !== 'completed') return refusal('generator_timeout', { links: { job: link } });
  return success(
    { skin: await job.skin, usage: {} },
    { links: { job: link, skin: `/v2/skins/${job.skinUuid}` } },
  );
}

/** Timers may ring a little early. */
async function until(time: number, closing: AbortSignal): Promise<void> {
  while (Date.now() < time) await sleep(time - Date.now(), undefined, { signal: closing });
}
