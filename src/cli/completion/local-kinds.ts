/** The kinds of values completed from data stored on this machine, which `skinsmith complete KIND` prints. */
export const AT_HAND_KINDS = [
  'jobs',
  'skins',
  'services',
  'settings',
  'setting-values',
  'users',
  'keys',
  'capes',
  'accounts',
] as const;
export type AtHandKind = (typeof AT_HAND_KINDS)[number];
