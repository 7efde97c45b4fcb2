import { isPending, ServiceError } from '../../index.ts';
import { forService, namingOf } from '../errors/service-hints.ts';
import { type Check, ok, skipped, warning } from './check.ts';

/** Queue spots that every caller has. */
const USUAL_SPOTS = 5;

/** Checks how many of the caller's queue spots are free. */
export const spotsCheck: Check = {
  needs: ['key'],
  look: async (setup) => {
    const spots = (await setup.me())?.grants.queue ?? USUAL_SPOTS;
    try {
      const pending = (await setup.jobs()).filter(({ status }) => isPending(status)).length;
      const detail = `${Math.min(pending, spots)} of ${spots} slots in the queue are taken.`;
      if (pending < spots) return ok(detail);
      const list = forService('skinsmith jobs --status waiting', namingOf(setup.context));
      return warning(detail, `List the jobs: ${list}`);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 401) throw error;
      return skipped('The service lists jobs only for callers with a key.');
    }
  },
};
