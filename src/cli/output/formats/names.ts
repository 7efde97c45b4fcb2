/** The ways a skin can be printed, for help and for checking a choice without loading anything. */
export const FORMAT_NAMES = [
  'json',
  'value',
  'signature',
  'property',
  'give',
  'give-1.20.5',
  'give-1.16',
  'skinsrestorer',
  'citizens',
] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];
