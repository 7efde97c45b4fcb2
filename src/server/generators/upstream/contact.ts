import type { SkinClient } from '../../../client/skin-client.ts';
import { ONE_ATTEMPT } from '../../../dispatch/running-job.ts';
import { readAccount, readServiceKey, type ServiceKey, slotsOf } from '../../../dispatch/service-facts.ts';
import { USUAL_SLOTS } from '../../../dispatch/slots.ts';
import type { SkinVisibility } from '../../../protocol/skin.ts';
import type { Trust } from '../port.ts';

/** The service that makes the skins, and the key to use there. */
export interface UpstreamSettings {
  /** Its root, with or without a trailing `/v2`. */
  readonly url: string;
  readonly apiKey: string;
  /** Also send the key over plain http to public addresses. */
  readonly insecureHttp?: boolean | undefined;
  /** Time limit of one request in milliseconds; default: that of every client. */
  readonly timeout?: number | undefined;
  /**
   * Maximum number of jobs on the service at one time; default: that of the key's plan. A plan with fewer lowers it.
   */
  readonly slots?: number | undefined;
  /**
   * Visibility of the skins on the service; default: unlisted. A private skin is requested as private if the key's plan
   * allows such skins, regardless of this setting.
   */
  readonly visibility?: SkinVisibility | undefined;
}

/** The service rejects the key as invalid, so no skin could ever be made. */
export class UpstreamKeyError extends Error {
  override readonly name = 'UpstreamKeyError';
  readonly code = 'upstream_key_refused';

  constructor(url: string, cause: unknown) {
    super(`${url} does not accept the configured key.`, { cause });
  }
}

/** What the upstream service says about itself and its key. */
export interface UpstreamFacts extends ServiceKey {
  /** Maximum number of jobs on the service at one time. */
  readonly slots: number;
  readonly hasPrivateSkins: boolean;
}

/** @throws SkinsmithError; PublicKeyError; the signal's reason when aborted */
export async function readUpstreamFacts(
  client: SkinClient,
  settings: Pick<UpstreamSettings, 'slots'>,
  signal: AbortSignal,
): Promise<UpstreamFacts> {
  const reader = { client, call: { ...ONE_ATTEMPT, signal } };
  const me = await readAccount(reader);
  return {
    slots: Math.max(1, slotsOf(me, settings.slots)),
    hasPrivateSkins: me?.grants.private_skins ?? false,
    ...(await readServiceKey(reader)),
  };
}

/** What is known about the service. */
export class Contact {
  readonly #client: SkinClient;
  readonly #settings: UpstreamSettings;
  #facts: UpstreamFacts | undefined;

  constructor(client: SkinClient, settings: UpstreamSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  get name(): string {
    return this.#client.baseUrl;
  }

  /** Maximum number of jobs on the service at one time, as far as is known. */
  get slots(): number {
    return this.#facts?.slots ?? Math.min(this.#settings.slots ?? USUAL_SLOTS, USUAL_SLOTS);
  }

  /** The facts known so far. */
  get trust(): Trust {
    const { publicKey, skinDomains = [] } = this.#facts ?? {};
    const publicPem = publicKey?.export({ type: 'spki', format: 'pem' }).toString();
    return { publicPem, skinDomains };
  }

  /** Requests the facts until there is an answer. @throws SkinsmithError; the signal's reason when aborted */
  async facts(signal: AbortSignal): Promise<UpstreamFacts> {
    this.#facts ??= await readUpstreamFacts(this.#client, this.#settings, signal);
    return this.#facts;
  }

  /** The current signing key of a service that has one. @throws SkinsmithError; the signal's reason when aborted */
  async freshKey(signal: AbortSignal): Promise<UpstreamFacts['publicKey']> {
    if (!(await this.facts(signal)).publicKey) return undefined;
    const fresh = await readServiceKey({ client: this.#client, call: { ...ONE_ATTEMPT, signal } });
    this.#facts = { ...(await this.facts(signal)), ...fresh };
    return fresh.publicKey;
  }
}
