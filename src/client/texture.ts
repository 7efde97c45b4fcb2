import { UnreadableAnswerError } from './errors.ts';
import type { Download } from './http.ts';

/** Maximum bytes of a texture; the game's own are below 10 kB. */
const MAX_TEXTURE_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;

type Get = (address: URL, limit: number) => Promise<Pick<Download, 'status' | 'bytes' | 'location'>>;

/** Downloads a texture, following redirects. @throws what `get` throws, UnreadableAnswerError */
export async function fetchTexture(url: string, get: Get): Promise<Uint8Array> {
  let address = textureAddress(url);
  for (let hops = 0; ; hops++) {
    const { status, bytes, location } = await get(address, MAX_TEXTURE_BYTES);
    if (location === undefined) return bytes;
    if (hops === MAX_REDIRECTS) {
      throw new UnreadableAnswerError(`${url} redirects more than ${MAX_REDIRECTS} times.`, { status });
    }
    address = textureAddress(location, address);
  }
}

function textureAddress(url: string, base?: URL): URL {
  const address = URL.parse(url, base?.href);
  if (address && /^https?:$/.test(address.protocol)) return address;
  throw new UnreadableAnswerError(`"${url}" is not a valid texture URL.`, { status: 200 });
}
