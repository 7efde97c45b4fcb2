import { VERSION } from '../../index.ts';
import { type Check, ok } from './check.ts';

/** What runs here. Where Node is too old the program does not start. */
export const programCheck: Check = {
  needs: [],
  look: async () =>
    ok(`skinsmith ${VERSION} on Node ${process.versions.node} (${process.platform} ${process.arch}).`),
};
