import { VERSION } from '../../index.ts';
import { type Check, ok } from './check.ts';

/** Reports the program's version and platform. On an unsupported Node the program does not start. */
export const programCheck: Check = {
  needs: [],
  look: async () =>
    ok(`skinsmith ${VERSION} on Node ${process.versions.node} (${process.platform} ${process.arch}).`),
};
