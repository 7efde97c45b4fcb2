import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, refusalCode, send } from './answers.ts';
import { Desk } from './desk.ts';
import type { HostedOptions } from './options.ts';
import type { RateRule } from './rate-window.ts';
import type { DoubleSubmission, HostedRecords } from './records.ts';
import { type HostedRequest, type RequestKind, readRequest } from './requests.ts';
import { act } from './troubles.ts';
import { seededWeather, type Weather, type WeatherPlan } from './weather.ts';

export type { HostedOptions } from './options.ts';

/** Where a request is: it came in, it was processed (no byte of the answer is sent yet), its answer left. */
export type Moment = 'arrived' | 'processed' | 'answered';
export type Watcher = (moment: Moment, kind: RequestKind) => void;

/**
 * A service that behaves like the hosted one, traps included, and has none of skinsmith's additions. It keeps
 * everything in memory, and records what a well-behaved client must not do.
 */
export class HostedService {
  readonly url: string;
  readonly key: string;
  readonly #server: Server;
  readonly #desk: Desk;
  readonly #closing = new AbortController();
  readonly #watchers = new Set<Watcher>();
  #weather: Weather | undefined;
  #requests = 0;

  private constructor(server: Server, url: string, desk: Desk, weather: HostedOptions['weather']) {
    this.#server = server;
    this.#desk = desk;
    this.url = url;
    this.key = desk.key;
    this.weather = weather;
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
    return new HostedService(server, url, await Desk.open(url, options), options.weather);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get records(): HostedRecords {
    return this.#desk.intake.records;
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
    this.#desk.intake.rate.rule = rule;
  }

  /** Another program of the same caller takes a spot for so many milliseconds. Answers the job's id. */
  occupy(milliseconds: number): string {
    return this.#desk.intake.occupy(milliseconds);
  }

  /** Calls `watcher` at every moment of every request, before anything else happens. Answers how to stop it. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(message, ++this.#requests);
    const { kind } = request;
    const { records, rate } = this.#desk.intake;
    const process = async () => await this.#process(request);
    if (kind === 'records') return send(response, await process());
    records.count(records.requests, kind);
    this.#tell('arrived', kind);
    response.on('finish', () => this.#tell('answered', kind));
    const trouble = this.#weather?.(request);
    if (!trouble) return send(response, await process());
    records.count(records.troubles, trouble.kind);
    await act({ response, process, rate, closing: this.#closing.signal }, trouble);
  }

  async #process(request: HostedRequest): Promise<Answer> {
    const { records } = this.#desk.intake;
    const answer = await this.#desk.answer(request, this.#closing.signal);
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
