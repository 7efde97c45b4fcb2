import { parseNetwork } from './addresses.ts';
import { type OutboundPolicy, WEB_PORTS } from './target.ts';

/**
 * Where the service may go: the web, and the networks that its operator named.
 * @throws Error when one of them is not a network
 */
export function outboundPolicy(settings: {
  readonly allowedNetworks?: readonly string[] | undefined;
}): OutboundPolicy {
  const { allowedNetworks = [] } = settings;
  return { networks: allowedNetworks.map(parseNetwork), ports: WEB_PORTS };
}
