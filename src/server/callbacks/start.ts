import type { Proxies } from '../../base/proxies.ts';
import { makeGuardedAgent } from '../outbound/guarded-agent.ts';
import { outboundPolicy } from '../outbound/policy.ts';
import type { OutboundPolicy } from '../outbound/target.ts';
import { nameThisProcess } from '../queue/lease-owner.ts';
import { Deliverer, type DelivererOptions } from './deliverer.ts';

interface CallbackSettings {
  readonly embedded?: boolean | undefined;
  readonly webhooks?: boolean | undefined;
  readonly allowedNetworks?: readonly string[] | undefined;
}

/**
 * The policy for callback addresses; undefined if callbacks are not accepted.
 * @throws Error if an allowed network is malformed
 */
export function callbackPolicy(settings: CallbackSettings): OutboundPolicy | undefined {
  const { embedded = false, webhooks = true } = settings;
  const policy = outboundPolicy(settings);
  return embedded || !webhooks ? undefined : policy;
}

export interface Callbacks {
  /** Ends the deliveries in progress; after `limit` ms they are left for the next start. */
  stop(limit: number): Promise<void>;
}

export interface CallbacksOptions extends Omit<DelivererOptions, 'self' | 'agent'> {
  /** Rules for callback URLs; undefined if callbacks are disabled. */
  readonly policy: OutboundPolicy | undefined;
  readonly fetchProxies?: Proxies | undefined;
}

/** Starts the delivery of callbacks, if they are enabled. */
export function startCallbacks({ policy, fetchProxies: proxies, ...options }: CallbacksOptions): Callbacks {
  if (!policy) return { stop: async () => {} };
  const agent = makeGuardedAgent({ policy, proxies });
  const deliverer = new Deliverer({ ...options, self: nameThisProcess(), agent });
  deliverer.start();
  return {
    stop: async (limit) => {
      await deliverer.stop(limit);
      await agent.close();
    },
  };
}
