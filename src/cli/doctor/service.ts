import { type Check, ok } from './check.ts';

/** Reports which service commands use, and why. */
export const serviceCheck: Check = {
  needs: ['config'],
  look: async (setup) => {
    const { baseUrl, from } = await setup.service();
    if (baseUrl !== undefined) return ok(`${baseUrl} (from ${from}).`);
    const why = from === undefined ? '' : ` (because of ${from})`;
    return ok(`The embedded service${why}, with its data in ${setup.context.folders.data}.`);
  },
};
