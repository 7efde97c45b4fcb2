import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Agent as HttpsAgent, request as requestTls } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { networkCode } from '../../base/error-reasons.ts';
import { type NamedProxy, openSender, type Proxies, proxyFor, proxyName } from '../../base/proxies.ts';
import { parsedJson } from '../../base/text.ts';
import { VERSION } from '../../base/version.ts';
import { ServiceError, UnreadableAnswerError } from '../../client/errors.ts';
import type { Fetch } from '../../client/transport.ts';
import type { KeyDocument, Me } from '../../protocol/account.ts';
import type { ReceivedRateLimit as RateLimit } from '../../protocol/envelope.ts';
import type { Job } from '../../protocol/job.ts';
import type { Diagnosis } from '../../protocol/service.ts';
import { readProxies } from '../config/network-settings.ts';
import {
  originOf,
  parseSetting,
  SETTING_NAMES,
  type SettingName,
  type SettingOrigin,
  type Settings,
} from '../config/settings.ts';
import { type Connection, keyFor } from '../connection/connect.ts';
import type { CommandContext } from '../context/context.ts';
import { CliError } from '../errors/exit.ts';

/** The configured service; without an address, the embedded one. `from` is where it is configured. */
interface ChosenService {
  readonly baseUrl: string | undefined;
  readonly from: string | undefined;
}

/** What a skinsmith service tells every caller about itself. */
export type Readiness = z.output<typeof readinessSchema>;
const readinessSchema = z.object({
  status: z.string(),
  version: z.string(),
  reasons: z.array(z.string()).catch([]),
});

/** Why there is no diagnosis: the service is of another kind, or the caller is not its operator. */
export type NoDiagnosis = 'not_skinsmith' | 'not_operator';

/** The data that checks inspect. Requests that several checks need are sent once. */
export class Setup {
  readonly context: CommandContext;
  readonly #stop: AbortSignal;
  readonly #connectLimit: number;
  readonly #known = new Map<string, Promise<unknown>>();

  /** `stop` aborts all requests. `connectLimit`: milliseconds until the service's first response. */
  constructor(context: CommandContext, { stop, connectLimit }: { stop: AbortSignal; connectLimit: number }) {
    this.context = context;
    this.#stop = stop;
    this.#connectLimit = connectLimit;
  }

  /** The origin of each configured setting. @throws CliError when the config file cannot be read */
  async origins(): Promise<ReadonlyMap<SettingName, SettingOrigin>> {
    const { flags, env, configFile } = this.context;
    const file = await (await configFile()).settings();
    const sources = { flags: { 'base-url': flags.baseUrl }, env, file };
    const set = SETTING_NAMES.map((name) => [name, originOf(name, sources)] as const);
    return new Map(set.filter((entry): entry is [SettingName, SettingOrigin] => entry[1] !== undefined));
  }

  /** @throws CliError when the address is invalid */
  async service(): Promise<ChosenService> {
    if (this.context.flags.local) return { baseUrl: undefined, from: '--local' };
    const origin = (await this.origins()).get('base-url');
    if (origin === undefined) return { baseUrl: undefined, from: undefined };
    return { baseUrl: parseSetting('base-url', origin) as string, from: origin.from };
  }

  async key(): Promise<string | undefined> {
    const { baseUrl } = await this.service();
    return baseUrl === undefined ? undefined : await keyFor(baseUrl, this.context);
  }

  /** Starts the embedded service, if it is the one in use. @throws the error that keeps it from starting */
  async connection(): Promise<Connection> {
    return await this.#once('connection', async () => await this.context.connect(await this.#usable()));
  }

  /** The response to a request that every v2 service understands. @throws ProbeError */
  async firstAnswer(): Promise<ProbeAnswer> {
    return await this.#once('answer', async () => await this.#get('/v2/me'));
  }

  /** @throws ProbeError */
  async probe(url: string): Promise<ProbeAnswer> {
    return await probe(url, await this.#probeOptions());
  }

  /** Undefined if it is not a skinsmith service. @throws ProbeError */
  async readiness(): Promise<Readiness | undefined> {
    return await this.#once('readiness', async () => readinessIn(await this.#get('/ready')));
  }

  /** Undefined if the service does not know the caller. @throws SkinsmithError */
  async me(): Promise<Me | undefined> {
    return await this.#once('me', async () => {
      const { client, hasKey } = await this.connection();
      try {
        return await client.me(this.call());
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.code === 'not_found') throw error; // the address is wrong
        if (error.status === 404 || (error.status === 401 && !hasKey)) return undefined;
        throw error;
      }
    });
  }

  /** @throws SkinsmithError */
  async rateLimit(): Promise<RateLimit> {
    return await this.#once('rateLimit', async () => {
      const { client } = await this.connection();
      return (await this.me())?.rateLimit ?? (await client.delay(this.call()));
    });
  }

  /** @throws SkinsmithError */
  async jobs(): Promise<readonly Job[]> {
    const { client } = await this.connection();
    return await client.jobs(this.call());
  }

  /** Undefined if the service has no such document. @throws SkinsmithError */
  async keyDocument(): Promise<KeyDocument | undefined> {
    const { client } = await this.connection();
    try {
      return await client.keyDocument(this.call());
    } catch (error) {
      const { status } = error as { status?: number };
      const isPage = error instanceof UnreadableAnswerError && error.status < 400;
      if (isPage || status === 404) return undefined;
      throw error;
    }
  }

  /** @throws SkinsmithError */
  async diagnosis(): Promise<Diagnosis | NoDiagnosis> {
    return await this.#once('diagnosis', async () => {
      const { client } = await this.connection();
      if ((await this.readiness()) === undefined) return 'not_skinsmith';
      try {
        return await client.account.diagnosis(this.call());
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.status === 404) return 'not_skinsmith'; // or an older version
        if (error.status === 401 || error.status === 403) return 'not_operator';
        throw error;
      }
    });
  }

  /** Options for a single attempt, aborted together with the rest. */
  call() {
    return { signal: this.#stop, retry: { budget: 0, patience: 0 } };
  }

  /** The response to a GET below the service's root. @throws ProbeError */
  async #get(path: string): Promise<ProbeAnswer> {
    const { client, fetch } = await this.connection();
    const url = client.baseUrl + path;
    return fetch ? await probeEmbedded(url, fetch, await this.#probeOptions()) : await this.probe(url);
  }

  async #probeOptions(): Promise<ProbeOptions> {
    const { clock, env } = this.context;
    const userAgent = (await this.#usable())['user-agent'] ?? `skinsmith/${VERSION}`;
    const proxies = readProxies(env);
    return { clock, userAgent, proxies, signal: this.#stop, limit: this.#connectLimit };
  }

  /** The settings that commands would use, without the invalid ones. */
  async #usable(): Promise<Settings> {
    const origins = await this.origins();
    const values = SETTING_NAMES.map((name) => [name, usableValue(name, origins.get(name))] as const);
    return Object.fromEntries(values) as Settings;
  }

  async #once<T>(name: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#known.get(name) ?? ask();
    this.#known.set(name, known);
    return (await known) as T;
  }
}

function usableValue(name: SettingName, origin: SettingOrigin | undefined): unknown {
  try {
    return origin && parseSetting(name, origin);
  } catch (error) {
    if (error instanceof CliError) return undefined; // the settings check reports it
    throw error;
  }
}

export function readinessIn({ text }: ProbeAnswer): Readiness | undefined {
  return readinessSchema.safeParse(parsedJson(text)).data;
}

/** The stages of a request. Through a proxy they cannot be told apart. */
export type Stage = 'name' | 'connection' | 'tls' | 'answer' | 'proxy';

/** Any response, with any status. Redirects are not followed. */
export interface ProbeAnswer {
  readonly url: URL;
  readonly status: number;
  /** Headers; undefined if missing. */
  readonly date?: string | undefined;
  readonly location?: string | undefined;
  /** The proxy that it came through, for messages. */
  readonly proxy?: string;
  /** The start of the body. */
  readonly text: string;
  /** When the request was sent and when the response headers arrived: milliseconds since the epoch. */
  readonly askedAt: number;
  readonly answeredAt: number;
  /** Milliseconds that each stage took, in order; only the stages that occurred. */
  readonly times: ReadonlyMap<Stage, number>;
}

/** The request got no response. `code` is Node's own, or `not in time`. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
  readonly stage: Stage;
  readonly code: string;
  readonly url: URL;

  constructor(url: URL, { stage, code, cause }: { stage: Stage; code: string; cause: unknown }) {
    super(`${url.origin}: ${stage}: ${code}`, { cause });
    this.url = url;
    this.stage = stage;
    this.code = code;
  }
}

interface ProbeOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** Time limit for the whole request, in milliseconds. */
  readonly limit: number;
  readonly proxies?: Proxies | undefined;
}

const MAX_TEXT = 64 * 1024;

/**
 * Sends one GET without a key on a new connection and times each stage, which the client does not expose.
 * @throws ProbeError; the signal's reason when aborted
 */
export async function probe(address: string, options: ProbeOptions): Promise<ProbeAnswer> {
  const url = new URL(address);
  const proxy = options.proxies && proxyFor(url, options.proxies);
  if (proxy) return await probeThrough(proxy, url, options);
  const late = AbortSignal.timeout(options.limit);
  const stages = new Stages(url, options.clock);
  const askedAt = options.clock.now();
  try {
    const response = await ask(url, stages, { ...options, signal: AbortSignal.any([options.signal, late]) });
    const answeredAt = options.clock.now();
    stages.end();
    const { statusCode: status = 0, headers } = response;
    const { date, location } = headers;
    const text = await readStart(response);
    return { url, status, date, location, text, askedAt, answeredAt, times: stages.times };
  } catch (cause) {
    if (options.signal.aborted) throw options.signal.reason;
    const code = late.aborted ? 'not in time' : String((cause as NodeJS.ErrnoException).code);
    throw new ProbeError(url, { stage: stages.now, code, cause });
  }
}

async function probeThrough(
  proxy: NamedProxy,
  url: URL,
  { proxies, clock, signal, userAgent, limit }: ProbeOptions,
): Promise<ProbeAnswer> {
  const sender = await openSender(proxies);
  const [start, askedAt] = [clock.monotonic(), clock.now()];
  try {
    const { statusCode, headers, body } = await sender.request({
      ...{ origin: url.origin, path: url.pathname + url.search, method: 'GET' },
      headers: { accept: 'application/json', 'user-agent': userAgent },
      signal: AbortSignal.any([signal, AbortSignal.timeout(limit)]),
    });
    const answeredAt = clock.now();
    const times = new Map([['proxy', clock.monotonic() - start] as const]);
    const [date, location] = [headers['date'], headers['location']].map((header) => [header].flat()[0]);
    const text = await readStart(body);
    const answer = { url, status: statusCode, date, location, text, askedAt, answeredAt, times };
    return { ...answer, proxy: proxyName(proxy) };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new ProbeError(url, { stage: 'proxy', code: networkCode(cause), cause });
  } finally {
    await sender.destroy();
  }
}

/** Tracks the current stage of a request and the duration of each. */
class Stages {
  now: Stage;
  readonly times = new Map<Stage, number>();
  readonly #isTls: boolean;
  readonly #clock: Clock;
  #since: number;

  constructor({ hostname, protocol }: URL, clock: Clock) {
    this.now = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? 'name' : 'connection';
    this.#isTls = protocol === 'https:';
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  watch(socket: Socket): void {
    socket.once('lookup', (error) => {
      if (!error) this.#enter('connection');
    });
    socket.once('connect', () => this.#enter(this.#isTls ? 'tls' : 'answer'));
    socket.once('secureConnect', () => this.#enter('answer'));
  }

  end(): void {
    this.#enter(this.now);
  }

  #enter(next: Stage): void {
    const now = this.#clock.monotonic();
    this.times.set(this.now, now - this.#since);
    this.now = next;
    this.#since = now;
  }
}

async function ask(url: URL, stages: Stages, { signal, userAgent }: ProbeOptions): Promise<IncomingMessage> {
  const isTls = url.protocol === 'https:';
  const headers = { accept: 'application/json', 'user-agent': userAgent };
  // A separate agent: no reused connection.
  const agent = isTls ? new HttpsAgent() : new HttpAgent();
  const options: RequestOptions = { signal, headers, agent };
  return await new Promise((resolve, reject) => {
    const sent = isTls ? requestTls(url, options, resolve) : request(url, options, resolve);
    sent.on('socket', (socket) => stages.watch(socket));
    sent.on('error', reject);
    sent.end();
  });
}

async function readStart(response: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_TEXT) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Sends one GET for JSON to the embedded service. @throws ProbeError; the signal's reason when aborted */
async function probeEmbedded(
  address: string,
  fetch: Fetch,
  { clock, signal, userAgent, limit }: ProbeOptions,
): Promise<ProbeAnswer> {
  const url = new URL(address);
  const late = AbortSignal.timeout(limit);
  const askedAt = clock.now();
  const start = clock.monotonic();
  try {
    const headers = { accept: 'application/json', 'user-agent': userAgent };
    const response = await fetch(new Request(url, { headers, signal: AbortSignal.any([signal, late]) }));
    const { status } = response;
    const text = await response.text();
    const times = new Map([['answer', clock.monotonic() - start]] as const);
    return { url, status, text, askedAt, answeredAt: clock.now(), times };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    const code = late.aborted ? 'not in time' : String((cause as NodeJS.ErrnoException).code);
    throw new ProbeError(url, { stage: 'answer', code, cause });
  }
}
