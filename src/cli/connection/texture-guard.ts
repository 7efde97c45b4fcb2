import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import type { Proxies } from '../../base/proxies.ts';
import type { RequestDispatcher } from '../../client/transport.ts';
import { PrivateAddressError } from '../../dispatch/proof.ts';
import type { GuardedAgent, ResolveName } from '../../server/outbound/guarded-agent.ts';
import type { Network } from '../../server/outbound/target.ts';

export interface TextureGuardOptions {
  /** The root of the service in use; undefined: it runs in this process. */
  readonly service: string | undefined;
  readonly proxies: Proxies | undefined;
  /** Private networks that the user allows. */
  readonly allowed?: readonly string[] | undefined;
  /** Replaceable for tests. */
  readonly resolve?: ResolveName;
}

/** Sends requests to addresses that lockfiles and services name. */
interface TextureGuard extends RequestDispatcher {
  /** Aborts the requests in progress. */
  close(): Promise<void>;
}

/** Public data: textures, as services of ours and as the game name them, and the document with the key of such a service. The game drops zeros at the start of a hash. */
const PUBLIC_PATH = /^\/(?:textures?\/[0-9a-f]{48,64})?$/;

/**
 * Allows public addresses and, of private ones, those of the service in use, on its port. Paths that only read public
 * data of a skinsmith service are allowed on all ports of this machine and of that service, too: the service may have
 * another port in the textures it signs. `allowed`: everything in these networks, too.
 */
export function makeTextureGuard(options: TextureGuardOptions): TextureGuard {
  const { proxies, resolve = resolveAsSystem } = options;
  const agents = new Map<boolean, Promise<GuardedAgent>>();
  const open = async (isPublic: boolean) => {
    const { makeGuardedAgent } = await import('../../server/outbound/guarded-agent.ts');
    const own = await networksOf(options.service, { isPublic, resolve });
    const { parseNetwork } = await import('../../server/outbound/target.ts');
    const networks = [...own, ...(options.allowed ?? []).map(parseNetwork)];
    return makeGuardedAgent({ policy: { networks, ports: 'all' }, proxies, resolve, keepsConnections: true });
  };
  return {
    request: async (request) => {
      const isPublic = PUBLIC_PATH.test(request.path);
      const agent = agents.get(isPublic) ?? open(isPublic);
      agents.set(isPublic, agent);
      return await send(request, await agent);
    },
    close: async () => {
      await Promise.all([...agents.values()].map(async (agent) => await (await agent).close()));
    },
  };
}

type Request = Parameters<RequestDispatcher['request']>[0];

/** @throws PrivateAddressError; what the network throws */
async function send(request: Request, agent: GuardedAgent): ReturnType<RequestDispatcher['request']> {
  const { allowedAddresses, literalOf, OutboundError } = await import('../../server/outbound/target.ts');
  const { hostname, port, protocol } = new URL(request.origin);
  const literal = literalOf(hostname);
  try {
    // A proxy would get it unchecked.
    if (literal !== undefined)
      allowedAddresses([literal], { host: hostname, port: portOf(port, protocol), policy: agent.policy });
    return await (await agent.sender()).request(request);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.code === 'address_refused')
      throw new PrivateAddressError(String(request.origin), literal, error);
    throw error.cause ?? error;
  }
}

/** The private addresses that may be reached. */
async function networksOf(
  service: string | undefined,
  { isPublic, resolve }: { readonly isPublic: boolean; readonly resolve: ResolveName },
): Promise<Network[]> {
  const { parseNetwork } = await import('../../server/outbound/target.ts');
  const own = service === undefined ? [] : await addressesOf(new URL(service), resolve);
  if (!isPublic) return own;
  const machine = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => parseNetwork(withoutZone(address))),
  );
  const everywhere = own.map(([address, bits]): Network => [address, bits]);
  return [parseNetwork('127.0.0.0/8'), parseNetwork('::1'), ...machine, ...everywhere];
}

/** The service's addresses, on its port; none if it cannot be looked up. */
async function addressesOf({ hostname, port, protocol }: URL, resolve: ResolveName): Promise<Network[]> {
  const { literalOf, parseNetwork } = await import('../../server/outbound/target.ts');
  const literal = literalOf(hostname);
  const found = literal === undefined ? await resolve(hostname).catch(() => []) : [literal];
  return found.map((text) => {
    const [address, bits] = parseNetwork(withoutZone(text));
    return [address, bits, portOf(port, protocol)];
  });
}

function portOf(port: string, protocol: string): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

/** With the hosts file, as the requests to the service are. */
async function resolveAsSystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
