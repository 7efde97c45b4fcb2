import type { SkinClient } from '../../../client/skin-client.ts';
import type { Trust } from '../port.ts';
import { type Facts, learnFacts, learnKey, USUAL_SPOTS } from './facts.ts';
import type { UpstreamSettings } from './settings.ts';

/** What is known about the service. */
export class Contact {
  readonly #client: SkinClient;
  readonly #settings: UpstreamSettings;
  #facts: Facts | undefined;

  constructor(client: SkinClient, settings: UpstreamSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  get name(): string {
    return this.#client.baseUrl;
  }

  /** Maximum number of jobs on the service at one time, as far as is known. */
  get spots(): number {
    return this.#facts?.spots ?? Math.min(this.#settings.spots ?? USUAL_SPOTS, USUAL_SPOTS);
  }

  /** As far as is known. */
  get trust(): Trust {
    const { publicKey, skinDomains = [] } = this.#facts ?? {};
    const publicPem = publicKey?.export({ type: 'spki', format: 'pem' }).toString();
    return { publicPem, skinDomains };
  }

  /** Requests the facts until there is an answer. @throws SkinsmithError; the signal's reason when aborted */
  async facts(signal: AbortSignal): Promise<Facts> {
    this.#facts ??= await learnFacts(this.#client, this.#settings, { signal });
    return this.#facts;
  }

  /** The current signing key of the service. @throws SkinsmithError; the signal's reason when aborted */
  async freshKey(signal: AbortSignal): Promise<Facts['publicKey']> {
    const fresh = await learnKey(this.#client, { signal });
    this.#facts = { ...(await this.facts(signal)), ...fresh };
    return fresh.publicKey;
  }
}
