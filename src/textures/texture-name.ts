/** The name of a texture: the last segment of its URL, its hash on any host. Undefined for a text that is not a URL. */
export function textureName(url: string): string | undefined {
  return URL.parse(url)?.pathname.split('/').at(-1);
}
