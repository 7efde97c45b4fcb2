export interface OwnAddresses {
  /** All known base URLs of this service, without trailing slashes. */
  readonly ownAddresses: () => readonly string[];
}

/** The path, if the URL points to this service; otherwise undefined. */
export function ownPath({ ownAddresses }: OwnAddresses, { origin, pathname }: URL): string | undefined {
  for (const address of ownAddresses()) {
    const own = new URL(address);
    const prefix = own.pathname.replace(/\/$/, '');
    if (own.origin === origin && pathname.startsWith(`${prefix}/`)) return pathname.slice(prefix.length);
  }
  return undefined;
}

const TEXTURE = /^\/(?:textures|v2\/images)\/([0-9a-f]{33,64})$/;

/** The hash in the path of a texture of this service; undefined for any other path. */
export function textureHashIn(path: string): string | undefined {
  return TEXTURE.exec(path)?.[1];
}
