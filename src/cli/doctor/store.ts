import type { Check } from './check.ts';
import { notDiagnosed, summary } from './diagnosed.ts';

/** Checks the service's store: its schema, whether it is writable, and whether it is damaged. */
export const storeCheck: Check = {
  needs: ['key'],
  look: async (setup) => {
    const diagnosis = await setup.diagnosis();
    return typeof diagnosis === 'string' ? notDiagnosed(diagnosis) : summary(diagnosis.store.findings);
  },
};
