import { isPending, ServiceError } from '../../index.ts';
import { type Check, ok, skipped, warning } from './check.ts';

/** Spots in the queue that everybody has. */
const USUAL_SPOTS = 5;

/** How many of the caller's spots in the queue are free. */
export const spotsCheck: Check = {
  needs: ['key'],
  look: async (patient) => {
    const spots = (await patient.me())?.grants.queue ?? USUAL_SPOTS;
    try {
      const pending = (await patient.jobs()).filter(({ status }) => isPending(status)).length;
      const detail = `${Math.min(pending, spots)} of ${spots} spots in the queue are taken.`;
      return pending < spots ? ok(detail) : warning(detail, 'See by what: skinsmith jobs --status waiting');
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 401) throw error;
      return skipped('The service lists jobs for callers with a key alone.');
    }
  },
};
