import type { KeyObject } from 'node:crypto';
import { EMBEDDED, type GameKeys, type PublicSigningKey } from '../../batch/signers.ts';
import type { SignerKey } from '../../batch/verify-skin.ts';
import { NetworkError, SkinsmithError } from '../../client/errors.ts';
import { SkinClient } from '../../client/skin-client.ts';
import { PrivateAddressError } from '../../dispatch/proof.ts';
import { publicKeyIn } from '../../dispatch/service-facts.ts';
import { readProxies } from '../config/network-settings.ts';
import type { CommandContext } from '../context/context.ts';
import { count, isLoopback } from '../text/text.ts';
import { EMBEDDED_URL, makeTextureGuard, requestHooks } from './connect.ts';

export interface Verifiers {
  /** The public key of a service; undefined if it has no key of its own or is unreachable. */
  readonly keyOf: (service: string | undefined) => Promise<SignerKey | undefined>;
  readonly gameKeys: GameKeys;
  readonly own: PublicSigningKey | undefined;
  /** If absent, nothing is fetched. */
  readonly textures: TextureHosts | undefined;
  readonly close: () => Promise<void>;
}

/** Milliseconds that a service may be failing before it counts as unreachable. */
const PATIENCE = { budget: 3_000, patience: 10_000 };

/** Asks each service once, without an API key: public keys and textures need none. */
export async function verifierClients({
  context,
  isOffline,
  allowNetwork,
}: {
  context: CommandContext;
  isOffline: boolean;
  allowNetwork?: readonly string[] | undefined;
}): Promise<Verifiers> {
  const { flags, messages, waits, signal } = context;
  const call = { signal, retry: PATIENCE };
  const onRequest = flags.verbose ? messages.request.bind(messages) : undefined;
  const hooks = requestHooks({ onRequest, waits });
  const settings = await context.settings({ 'allow-network': allowNetwork });
  const inUse = flags.local ? undefined : settings['base-url'];
  const guard = makeTextureGuard({
    service: inUse,
    proxies: readProxies(context.env),
    allowed: settings['allow-network'],
  });
  const fetcher = new SkinClient({ baseUrl: EMBEDDED_URL, ...hooks, dispatcher: guard }); // texture addresses are absolute
  const proxied = await context.proxied();
  const keys = new ServiceKeys(
    (service) =>
      new SkinClient({ baseUrl: service, ...hooks, dispatcher: service === inUse ? proxied : guard }),
    call,
  );
  const { keys: gameKeys } = await context.game();
  return {
    keyOf: async (service = inUse) => (isOffline ? undefined : await keys.of(service)),
    gameKeys: isOffline ? gameKeys.offline() : gameKeys,
    own: await context.ownKey(),
    textures: isOffline ? undefined : new TextureHosts(async (url) => await fetcher.texture(url, call)),
    close: async () => {
      await Promise.all([keys, fetcher, guard].map((one) => one.close()));
    },
  };
}

type KeyCall = Parameters<SkinClient['keyDocument']>[0];

/** The public keys of services, each asked for once. */
class ServiceKeys {
  readonly #connect: (service: string) => SkinClient;
  readonly #call: KeyCall;
  readonly #clients: SkinClient[] = [];
  readonly #keys = new Map<string, Promise<SignerKey | undefined>>();

  constructor(connect: (service: string) => SkinClient, call: KeyCall) {
    this.#connect = connect;
    this.#call = call;
  }

  async of(service: string | undefined): Promise<SignerKey | undefined> {
    if (service === undefined || service === EMBEDDED) return undefined;
    const key = this.#keys.get(service) ?? this.#find(service);
    this.#keys.set(service, key);
    return await key;
  }

  async #find(service: string): Promise<SignerKey | undefined> {
    const client = this.#connect(service);
    this.#clients.push(client);
    const publicKey = await publicKeyOf(client, this.#call);
    return publicKey && { publicKey, service };
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}

async function publicKeyOf(client: SkinClient, call: KeyCall): Promise<KeyObject | undefined> {
  try {
    const { signaturePublickey } = await client.keyDocument(call);
    return signaturePublickey === undefined ? undefined : publicKeyIn(signaturePublickey, client.baseUrl);
  } catch (error) {
    if (!(error instanceof SkinsmithError)) throw error;
    return undefined; // the hosted service has no such document; a service that is down returns none
  }
}

type FetchTexture = (url: string) => Promise<Uint8Array>;

interface Unreachable {
  readonly error: SkinsmithError;
  /** How many textures were wanted from it. */
  textures: number;
}

/** Fetches textures, and gives up a host for good once it could not be reached: a lockfile has thousands of them there. */
export class TextureHosts {
  readonly #fetch: FetchTexture;
  readonly #unreachable = new Map<string, Unreachable>();

  constructor(fetch: FetchTexture) {
    this.#fetch = fetch;
  }

  /** @throws SkinsmithError; the same NetworkError for every texture of an unreachable host */
  async texture(url: string): Promise<Uint8Array> {
    const origin = URL.parse(url)?.origin ?? url;
    const known = this.#unreachable.get(origin);
    // On this machine, the path decides whether a request is allowed.
    if (known?.error instanceof NetworkError) {
      known.textures++;
      throw known.error;
    }
    try {
      return await this.#fetch(url);
    } catch (error) {
      if (error instanceof NetworkError || error instanceof PrivateAddressError) {
        const textures = (this.#unreachable.get(origin)?.textures ?? 0) + 1;
        this.#unreachable.set(origin, { error, textures });
      }
      throw error;
    }
  }

  /** `5 textures could not be fetched from http://…`: a sentence for each unreachable host. */
  get notes(): readonly string[] {
    return [...this.#unreachable].map(([origin, { textures, error }]) => {
      const what = textures === 1 ? '1 texture' : `${count(textures)} textures`;
      return `${what} could not be fetched from ${origin}${whyUnfetched(origin, error)}.`;
    });
  }
}

/** The textures of an embedded service can be fetched only while `serve` runs over its folder. */
function whyUnfetched(origin: string, error: Unreachable['error']): string {
  if (!(error instanceof NetworkError)) return ', a private address that is not the service in use';
  return isLoopback(URL.parse(origin)?.hostname ?? '') ? ' (is skinsmith serve running?)' : '';
}
