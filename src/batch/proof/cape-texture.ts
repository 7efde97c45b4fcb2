import type { SkinClient } from '../../client/skin-client.ts';
import type { CallOptions } from '../../client/types.ts';

/** A UUID of a cape as it is compared: 32 hexadecimal digits, lower case. */
export function bareUuid(uuid: string): string {
  return uuid.replaceAll('-', '').toLowerCase();
}

/** Name of the texture that a cape has on this service; undefined where it does not list the cape. */
export async function capeTexture(
  client: SkinClient,
  cape: string,
  call: CallOptions,
): Promise<string | undefined> {
  const capes = await client.capes(call);
  const found = capes.find(({ uuid }) => bareUuid(uuid) === bareUuid(cape));
  return found && textureName(found.url);
}

/** The last part of a texture's address: its hash, wherever it is served. */
export function textureName(url: string): string | undefined {
  return URL.parse(url)?.pathname.split('/').at(-1);
}
