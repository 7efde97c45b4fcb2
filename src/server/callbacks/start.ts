import type { FastifyBaseLogger } from 'fastify';
import { jobBody } from '../http/job-answers.ts';
import { makeGuardedAgent } from '../outbound/guarded-agent.ts';
import { outboundPolicy } from '../outbound/policy.ts';
import type { OutboundPolicy } from '../outbound/target.ts';
import { nameThisProcess } from '../queue/lease-owner.ts';
import type { ServiceContext } from '../service/context.ts';
import { withSkin } from '../service/jobs/jobs.ts';
import { findCallbackJob } from '../store/callbacks.ts';
import { Deliverer } from './deliverer.ts';

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

/** Starts the delivery of callbacks, if they are enabled. */
export function startCallbacks(context: ServiceContext, log: FastifyBaseLogger): Callbacks {
  const { db, callbacks: policy } = context;
  if (!policy) return { stop: async () => {} };
  const agent = makeGuardedAgent({ policy });
  const deliverer = new Deliverer({
    ...context,
    self: nameThisProcess(),
    agent,
    describeJob: async (jobId) => {
      const job = await findCallbackJob(db, jobId);
      return job && jobBody(await withSkin(db, job), []);
    },
    onGivenUp: (report) => log.warn(report, 'webhook given up'),
    onError: (error) => log.error({ err: error }, 'webhooks'),
  });
  deliverer.start();
  return {
    stop: async (limit) => {
      await deliverer.stop(limit);
      await agent.close();
    },
  };
}
