import { z } from 'zod';
import { parsedJson } from '../../base/text.ts';
import {
  type Diagnosis,
  type Job,
  type KeyDocument,
  type Me,
  type RateLimit,
  ServiceError,
  UnreadableAnswerError,
  VERSION,
} from '../../index.ts';
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
import { type ProbeAnswer, type ProbeOptions, probe, probeEmbedded } from './probe.ts';

/** The configured service; without an address, the embedded one. `from` is where it is configured. */
export interface ChosenService {
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
    const file = await configFile.settings();
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

  /** The key for the configured service. */
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
