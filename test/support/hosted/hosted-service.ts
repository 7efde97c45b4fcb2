/**
 * An imitation of the hosted service, built answer by answer from its published server (MineSkin/api.mineskin.org,
 * February 2026). This is where each behaviour comes from, and where it is here:
 *
 * | behaviour | published source | here |
 * |---|---|---|
 * | who asks; 403 with two errors; `no_api_key` warning | middleware/apikey `verifyApiKey` | visit.ts `verifyKey` |
 * | shape of a success: no `errors` | middleware/response `formatV2Response` | answers.ts `success` |
 * | shape of a refusal: `success`, `errors`, `rateLimit`, no links; zod errors; 404 | middleware/error | error-answers.ts |
 * | rate limit in body and headers, zeros when not looked up, `hour.limit` always 0 | generator/v2/V2GenerateHandler `makeRateLimitInfo` | rate-limits.ts `makeRateLimitInfo` |
 * | what is looked up and refused before a POST, by flags only | routes/v2/queue, routes/v2/generate, middleware/rateLimit | rate-limits.ts, hosted-api.ts `#take` |
 * | order of checks of a submission; it counts before its picture is read | models/v2/generate `v2SubmitGeneratorJob` | intake.ts `take` |
 * | one file, five fields, the option schemas | models/v2/generate `upload`, validation/generate | submission.ts |
 * | jobs spread over the minute | models/v2/generate `v2SubmitGeneratorJob` (notBefore) | start-times.ts `notBefore` |
 * | `next.absolute` 50 ms later per pending job | the same | intake.ts `take` |
 * | 503 `service_unavailable` when generation is switched off | the same (api.block_skin_generation) | intake.ts `#checkSwitch` |
 * | 202 with `eta`; duplicates as made-up jobs `f4c3…` | models/v2/generate `v2GenerateEnqueue`, `saveFakeJob` | job-answers.ts, start-times.ts `etaOf` |
 * | a job: strict id, no key needed, no `eta`, failures in a 200 | models/v2/generate `v2GetJob` | job-answers.ts `jobAnswer` |
 * | the list: by key, three hours, `result`; 401 without a key | models/v2/generate `v2ListJobs` | job-book.ts `list`, job-answers.ts |
 * | waiting for a skin, 500 `generator_timeout` without a link to the job | models/v2/generate `v2GenerateAndWait` | hosted-api.ts `#generate` |
 * | a skin; rows of lists; editing and deleting | generator/v2/V2GenerateHandler `skinToJson`, models/v2/skins | skin-requests.ts |
 * | /v2/me, 404 without a user | models/v2/me `v2GetMe` | hosted-api.ts `#me` |
 * | /v2/delay under `rateLimit`, without windows | models/v2/delay `v2GetDelay` | hosted-api.ts `#delay` |
 * | GET / | index `init` | hosted-api.ts |
 *
 * Assumed, because it is in packages that are not published: that a minute begins with its first request (as the
 * documentation's examples have it) and the hour with the clock's; that a queue of 5 takes five jobs; when a job
 * counts as ended; the order of the list; the texts of failed jobs; what makes a picture a duplicate (the same
 * pixels, variant), whose name and visibility it keeps; 20,000 bytes for a file. Left out: version 1, pictures
 * behind URLs and players, capes, cookies, random pauses of up to 200 ms for callers without a key, grants that
 * are refused, rules about who may edit for how long. Different on purpose: textures are served here and not by
 * the game, and GET /_records tells what was seen.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, refusalCode, send } from './answers.ts';
import { HostedApi, type Refused } from './hosted-api.ts';
import { type HostedFlags, type HostedOptions, latencyOf } from './options.ts';
import type { DoubleSubmission, HostedRecords } from './records.ts';
import { type HostedRequest, type RequestKind, readRequest } from './requests.ts';
import type { RateRule } from './traffic.ts';
import { act } from './troubles.ts';
import { seededWeather, type Weather, type WeatherPlan } from './weather.ts';

export type { HostedOptions } from './options.ts';

/** Where a request is: it came in, it was processed (no byte of the answer is sent yet), its answer left. */
export type Moment = 'arrived' | 'processed' | 'answered';
export type Watcher = (moment: Moment, kind: RequestKind) => void;

/** The running imitation. It keeps everything in memory, and records what a well-behaved client must not do. */
export class HostedService {
  readonly url: string;
  readonly #server: Server;
  readonly #api: HostedApi;
  readonly #options: HostedOptions;
  readonly #closing = new AbortController();
  readonly #watchers = new Set<Watcher>();
  #weather: Weather | undefined;
  #requests = 0;

  private constructor(server: Server, url: string, api: HostedApi, options: HostedOptions) {
    this.#server = server;
    this.#api = api;
    this.#options = options;
    this.url = url;
    this.weather = options.weather;
    server.on('request', (message: IncomingMessage, response: ServerResponse) => {
      this.#handle(message, response).catch((error: unknown) => this.#broke(error, message, response));
    });
  }

  /** Starts on a free port of the loopback. */
  static async start(options: HostedOptions = {}): Promise<HostedService> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new HostedService(server, url, await HostedApi.open(url, options), options);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The user's API key. */
  get key(): string {
    return this.#api.key;
  }

  /** The user revokes the key and makes another one, whose list has none of the earlier jobs. */
  replaceKey(): void {
    this.#api.key = this.key.split('').reverse().join('');
    this.#api.intake.book.hideEarlier(this.#api.now());
  }

  get records(): HostedRecords {
    return this.#api.intake.records;
  }

  /** What was submitted although the service had a job for it that could still give the skin. */
  get doubleSubmissions(): readonly DoubleSubmission[] {
    return this.records.doubleSubmissions;
  }

  /** Changes the weather from now on; undefined: fine. */
  set weather(weather: WeatherPlan | Weather | undefined) {
    this.#weather = typeof weather === 'object' ? seededWeather(weather) : weather;
  }

  /** Changes the rate limit from now on; undefined: none. */
  set rate(rule: RateRule | undefined) {
    this.#api.rate = rule;
  }

  /** Changes the service's flags from now on. */
  set flags(flags: HostedFlags) {
    this.#api.intake.flags = flags;
  }

  /** Jobs taken in from now on are worked on until `release`: a test decides when they end, not the clock. */
  hold(): void {
    this.#api.intake.book.hold();
  }

  /** Ends all jobs that have no end yet, and holds no others. */
  release(): void {
    this.#api.intake.book.release(this.#api.now());
  }

  /**
   * Another program of the same user takes a slot for so many milliseconds (Infinity: until `release`); with a key of
   * its own its job is in no list that the caller sees. Answers the job's id.
   */
  occupy(milliseconds: number, { key = 'same' }: { key?: 'same' | 'other' } = {}): string {
    const owner = key === 'same' ? 'other program' : 'other key';
    return this.#api.intake.occupy(milliseconds, owner, this.#api.now());
  }

  /** Calls `watcher` at every moment of every request, before anything else happens. Answers how to stop it. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(message, ++this.#requests);
    const { kind } = request;
    const { records } = this.#api.intake;
    const process = async () => await this.#processLate(request);
    if (kind === 'records') return send(response, await process());
    records.count(records.requests, kind);
    this.#tell('arrived', kind);
    response.on('finish', () => this.#tell('answered', kind));
    const trouble = this.#weather?.(request);
    if (!trouble) return send(response, await process());
    records.count(records.troubles, trouble.kind);
    const refuse = (code: Refused) => this.#api.refuse(request, code, trouble);
    await act({ response, process, refuse, closing: this.#closing.signal }, trouble);
  }

  /** As late as its way there and back takes. */
  async #processLate(request: HostedRequest): Promise<Answer> {
    const wait = latencyOf(this.#options, request.kind);
    if (wait === 0) return await this.#process(request);
    const { signal } = this.#closing;
    await sleep(wait, undefined, { signal });
    const answer = await this.#process(request);
    await sleep(wait, undefined, { signal });
    return answer;
  }

  async #process(request: HostedRequest): Promise<Answer> {
    const { records } = this.#api.intake;
    const answer = await this.#api.answer(request, this.#closing.signal);
    const code = refusalCode(answer);
    if (code !== undefined) records.count(records.refusals, code);
    this.#tell('processed', request.kind);
    return answer;
  }

  #tell(moment: Moment, kind: RequestKind): void {
    for (const watcher of this.#watchers) watcher(moment, kind);
  }

  /** A caller that went away or a service that closes is nothing to speak of; anything else is a bug in here. */
  #broke(error: unknown, message: IncomingMessage, response: ServerResponse): void {
    if (this.#closing.signal.aborted || message.socket.destroyed || response.headersSent) response.destroy();
    else response.writeHead(599).end(`The test's own service broke: ${(error as Error).stack}`);
  }
}
