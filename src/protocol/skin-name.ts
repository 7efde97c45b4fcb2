/** Characters of the longest name of a skin. */
export const MAX_NAME_LENGTH = 48;

export const NAME_PATTERN = new RegExp(`^[A-Za-z0-9_.\\- ]{1,${MAX_NAME_LENGTH}}$`);

/** A name valid for the service, made from a file's stem: unusual characters become `_`, at most 48 are kept. */
export function skinNameFrom(stem: string): string | undefined {
  const name = stem
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_.\- ]/g, '_')
    .slice(0, MAX_NAME_LENGTH)
    .trim();
  return /[A-Za-z0-9]/.test(name) ? name : undefined;
}
