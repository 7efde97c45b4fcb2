import { namingOf } from '../errors/service-hints.ts';
import type { Check } from './check.ts';
import { notDiagnosed, summary } from './diagnosed.ts';

/** Checks the service's generator: its kind and whether it works. */
export const generatorCheck: Check = {
  needs: ['key'],
  look: async (setup) => {
    const diagnosis = await setup.diagnosis();
    if (typeof diagnosis === 'string') return notDiagnosed(diagnosis);
    const { kind, findings } = diagnosis.generator;
    const { detail, ...rest } = summary(findings, namingOf(setup.context));
    return { ...rest, detail: `${kind}: ${detail}` };
  },
};
