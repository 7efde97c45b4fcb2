import type { SkinClient } from '../client/skin-client.ts';
import type { CallOptions } from '../client/types.ts';

/** A cape's UUID, normalized for comparison: 32 hexadecimal digits, lower case. */
export function bareUuid(uuid: string): string {
  return uuid.replaceAll('-', '').toLowerCase();
}

/** The texture name of a cape on this service; undefined if the service does not list the cape. */
export async function capeTexture(
  client: SkinClient,
  cape: string,
  call: CallOptions,
): Promise<string | undefined> {
  const capes = await client.capes(call);
  const found = capes.find(({ uuid }) => bareUuid(uuid) === bareUuid(cape));
  return found && textureName(found.url);
}

/** The last segment of a texture's URL: its hash, on any host. */
export function textureName(url: string): string | undefined {
  return URL.parse(url)?.pathname.split('/').at(-1);
}
