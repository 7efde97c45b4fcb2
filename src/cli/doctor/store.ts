import { namingOf } from '../errors/service-hints.ts';
import { type Check, problem } from './check.ts';
import { notDiagnosed, summary } from './diagnosed.ts';
import { hintFor } from './hints.ts';

/** Why the service cannot even tell whose key it is asked with: `/ready` says it to everybody. */
const LOST: Readonly<Record<string, string>> = {
  store_unreachable: 'The service cannot reach its database, or gets no answer from it.',
  store_replaced: 'The store was removed or replaced while the service was running.',
  store_too_new: 'A newer skinsmith has changed the store, so that this one may not use it any more.',
};

/** Checks the service's store: its schema, whether it is writable, and whether it is damaged. */
export const storeCheck: Check = {
  needs: ['connection'],
  look: async (setup) => {
    const naming = namingOf(setup.context);
    const reasons = (await setup.readiness())?.reasons ?? [];
    const lost = reasons.find((reason) => Object.hasOwn(LOST, reason));
    if (lost !== undefined) return problem(LOST[lost] ?? lost, hintFor([lost], naming));
    const diagnosis = await setup.diagnosis();
    if (typeof diagnosis === 'string') return notDiagnosed(diagnosis);
    return summary(diagnosis.store.findings, naming);
  },
};
