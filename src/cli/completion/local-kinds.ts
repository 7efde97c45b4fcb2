/** The kinds of values completed from data stored on this machine, which `skinsmith complete KIND` prints. */
export const LOCAL_KINDS = [
  'jobs',
  'skins',
  'services',
  'settings',
  'setting-values',
  'users',
  'keys',
  'capes',
  'accounts',
  'identities',
] as const;
export type LocalKind = (typeof LOCAL_KINDS)[number];
