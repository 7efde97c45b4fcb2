import { parseNetwork } from './addresses.ts';
import { type OutboundPolicy, WEB_PORTS } from './target.ts';

/**
 * The policy of the service: the web, and the networks that its operator allows.
 * @throws Error if one of them is malformed
 */
export function outboundPolicy(settings: {
  readonly allowedNetworks?: readonly string[] | undefined;
}): OutboundPolicy & { readonly ports: readonly number[] } {
  const { allowedNetworks = [] } = settings;
  return { networks: allowedNetworks.map(parseNetwork), ports: WEB_PORTS };
}
