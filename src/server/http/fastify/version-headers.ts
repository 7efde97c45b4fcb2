import { VERSION } from '../../../base/version.ts';

/** On each answer of the API. Those of version 1 say so instead. */
export const VERSION_HEADERS = {
  'mineskin-api-version': 'v2',
  'mineskin-version': `skinsmith-${VERSION}`,
} as const;
