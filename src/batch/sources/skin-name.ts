/** A name the service takes, made from a file's stem: unusual characters become `_`, 48 at the most. */
export function skinNameFrom(stem: string): string | undefined {
  const name = stem
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_.\- ]/g, '_')
    .slice(0, 48)
    .trim();
  return /[A-Za-z0-9]/.test(name) ? name : undefined;
}
