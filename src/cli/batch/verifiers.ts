import type { KeyObject } from 'node:crypto';
import { EMBEDDED, type OwnKey } from '../../batch/model/signer.ts';
import type { GameKeys } from '../../batch/proof/known-keys.ts';
import type { SignerKey } from '../../batch/proof/verify-skin.ts';
import { publicKeyIn } from '../../dispatch/service-facts.ts';
import { SkinClient, SkinsmithError } from '../../index.ts';
import { readProxies } from '../config/proxies.ts';
import { EMBEDDED_URL, requestHooks } from '../connection/request-hooks.ts';
import { makeTextureGuard } from '../connection/texture-guard.ts';
import type { CommandContext } from '../context/context.ts';
import { TextureHosts } from './texture-hosts.ts';

/** Where keys and textures come from. */
export interface Verifiers {
  /** The public key of a service; undefined if it has no key of its own or is unreachable. */
  readonly keyOf: (service: string | undefined) => Promise<SignerKey | undefined>;
  readonly gameKeys: GameKeys;
  readonly own: OwnKey | undefined;
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
}: {
  context: CommandContext;
  isOffline: boolean;
}): Promise<Verifiers> {
  const clients = new Map<string, SkinClient>();
  const keys = new Map<string, Promise<SignerKey | undefined>>();
  const call = { signal: context.signal, retry: PATIENCE };
  const { flags, messages, waits } = context;
  const onRequest = flags.verbose ? messages.request.bind(messages) : undefined;
  const hooks = requestHooks({ onRequest, waits });
  const inUse = flags.local ? undefined : (await context.settings())['base-url'];
  const guard = makeTextureGuard({ service: inUse, proxies: readProxies(context.env) });
  const fetcher = new SkinClient({ baseUrl: EMBEDDED_URL, ...hooks, dispatcher: guard }); // texture addresses are absolute
  const proxied = await context.proxied();
  const find = async (service: string): Promise<SignerKey | undefined> => {
    const dispatcher = service === inUse ? proxied : guard;
    const client = new SkinClient({ baseUrl: service, ...hooks, dispatcher });
    clients.set(service, client);
    const publicKey = await publicKeyOf(client, call);
    return publicKey && { publicKey, service };
  };
  const { keys: gameKeys } = await context.game();
  return {
    keyOf: async (service) => {
      const name = service ?? inUse;
      if (name === undefined || name === EMBEDDED || isOffline) return undefined;
      const key = keys.get(name) ?? find(name);
      keys.set(name, key);
      return await key;
    },
    gameKeys: isOffline ? gameKeys.offline() : gameKeys,
    own: await context.ownKey(),
    textures: isOffline ? undefined : new TextureHosts(async (url) => await fetcher.texture(url, call)),
    close: async () => {
      await Promise.all([...clients.values(), fetcher, guard].map((one) => one.close()));
    },
  };
}

async function publicKeyOf(
  client: SkinClient,
  call: Parameters<SkinClient['keyDocument']>[0],
): Promise<KeyObject | undefined> {
  try {
    const { signaturePublickey } = await client.keyDocument(call);
    return signaturePublickey === undefined ? undefined : publicKeyIn(signaturePublickey, client.baseUrl);
  } catch (error) {
    if (!(error instanceof SkinsmithError)) throw error;
    return undefined; // the hosted service has no such document; a service that is down returns none
  }
}
