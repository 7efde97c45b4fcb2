/** A name valid for the service, made from a file's stem: unusual characters become `_`, at most 48 are kept. */
export function skinNameFrom(stem: string): string | undefined {
  const name = stem
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_.\- ]/g, '_')
    .slice(0, 48)
    .trim();
  return /[A-Za-z0-9]/.test(name) ? name : undefined;
}
