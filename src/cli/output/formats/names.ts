/** Names of the output formats. A separate module, so that help and argument checks load nothing else. */
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
