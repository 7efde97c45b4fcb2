import type { KeyObject } from 'node:crypto';
import type { GameKeys } from '../../batch/proof/game-keys.ts';
import { keyIn } from '../../batch/service/first-contact.ts';
import { SkinClient, SkinsmithError } from '../../index.ts';
import type { Deps } from '../deps.ts';

/** Where keys and textures come from. */
export interface Verifiers {
  /** The public key of a service; undefined: it has none of its own, or cannot be asked. */
  readonly keyOf: (service: string | undefined) => Promise<KeyObject | undefined>;
  /** Absent: the game is not asked. */
  readonly gameKeys: GameKeys | undefined;
  /** Absent: nothing is fetched. */
  readonly texture: ((url: string) => Promise<Uint8Array>) | undefined;
  readonly close: () => Promise<void>;
}

/** Milliseconds that a service may be in trouble before it counts as not to be asked. */
const PATIENCE = { budget: 3_000, patience: 10_000 };

/** Asks each service once, without anybody's API key: its public key and its textures are public. */
export async function verifierClients({
  deps,
  isOffline,
}: {
  deps: Deps;
  isOffline: boolean;
}): Promise<Verifiers> {
  const clients = new Map<string, SkinClient>();
  const keys = new Map<string, Promise<KeyObject | undefined>>();
  const call = { signal: deps.signal, retry: PATIENCE };
  const fetcher = new SkinClient({ baseUrl: 'http://127.0.0.1' }); // textures have addresses of their own
  const find = async (service: string): Promise<KeyObject | undefined> => {
    if (service === 'embedded') return await embeddedKey(deps);
    if (isOffline) return undefined;
    const client = new SkinClient({ baseUrl: service });
    clients.set(service, client);
    return await publicKeyOf(client, call);
  };
  return {
    keyOf: async (service) => {
      const name = service ?? (await deps.service(await deps.settings())).name;
      const key = keys.get(name) ?? find(name);
      keys.set(name, key);
      return await key;
    },
    gameKeys: isOffline ? undefined : (await deps.game()).keys,
    texture: isOffline ? undefined : async (url) => await fetcher.texture(url, call),
    close: async () => {
      await Promise.all([...clients.values(), fetcher].map((client) => client.close()));
    },
  };
}

/** The key of this machine's own service, which needs no network. */
async function embeddedKey(deps: Deps): Promise<KeyObject | undefined> {
  const settings = await deps.settings({});
  const { client } = await deps.connect({ ...settings, 'base-url': undefined });
  return await publicKeyOf(client, { signal: deps.signal });
}

async function publicKeyOf(
  client: SkinClient,
  call: Parameters<SkinClient['keyDocument']>[0],
): Promise<KeyObject | undefined> {
  try {
    const { signaturePublickey } = await client.keyDocument(call);
    return signaturePublickey === undefined ? undefined : keyIn(signaturePublickey, client.baseUrl);
  } catch (error) {
    if (!(error instanceof SkinsmithError)) throw error;
    return undefined; // the hosted service has no such document; one that is away cannot be asked
  }
}
