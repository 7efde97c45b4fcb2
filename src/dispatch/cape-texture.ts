/** A cape's UUID, normalized for comparison: 32 hexadecimal digits, lower case. */
export function bareUuid(uuid: string): string {
  return uuid.replaceAll('-', '').toLowerCase();
}

/** The last segment of a texture's URL: its hash, on any host. */
export function textureName(url: string): string | undefined {
  return URL.parse(url)?.pathname.split('/').at(-1);
}
