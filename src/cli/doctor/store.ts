import type { Check } from './check.ts';
import { summary, untold } from './diagnosed.ts';

/** The service's store: its schema, whether it can be written, whether it is damaged. */
export const storeCheck: Check = {
  needs: ['key'],
  look: async (patient) => {
    const diagnosis = await patient.diagnosis();
    return typeof diagnosis === 'string' ? untold(diagnosis) : summary(diagnosis.store.findings);
  },
};
