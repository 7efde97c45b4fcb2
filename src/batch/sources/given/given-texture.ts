import { NetworkError, ServiceError, SkinsmithError } from '../../../client/errors.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import type { CallOptions } from '../../../client/types.ts';
import { isGameTexture, readTextures } from '../../../dispatch/proof.ts';
import type { GivenSkin } from '../../model/source.ts';

/** A texture that cannot be fetched. */
export class GivenTextureError extends SkinsmithError {
  override readonly name = 'GivenTextureError';
  readonly code = 'texture_unavailable';
  readonly isPassing = false;
  readonly hint = 'Save the picture as a file and give that.';
}

/** Milliseconds that the texture's host may fail. */
const RETRY = { budget: 3_000, patience: 10_000 };

/**
 * The texture of given skin data, a PNG of at most 256 KiB. An embedded service signs URLs that only `serve`
 * answers, so the same path is also tried on the service in use.
 * @throws GivenTextureError; the signal's reason
 */
export async function fetchGivenTexture(
  given: GivenSkin,
  client: SkinClient,
  { signal }: Pick<CallOptions, 'signal'>,
): Promise<Uint8Array> {
  const { url } = readTextures(given.value).skin;
  const call = { signal, retry: RETRY };
  try {
    return await client.texture(url, call);
  } catch (error) {
    if (signal?.aborted || !(error instanceof SkinsmithError)) throw error;
    const { pathname } = new URL(url);
    if (!isGameTexture(url) && isOwnPath(pathname)) {
      const served = await ownTexture(client, pathname, call);
      if (served) return served;
    }
    throw new GivenTextureError(`Its texture could not be fetched: ${error.message}`, { cause: error });
  }
}

/** Where services of ours serve textures. */
function isOwnPath(path: string): boolean {
  return /^\/textures\/[0-9a-f]{64}$/.test(path);
}

/** Undefined if the service does not have it either. */
async function ownTexture(
  client: SkinClient,
  path: string,
  call: CallOptions,
): Promise<Uint8Array | undefined> {
  try {
    return await client.texture(new URL(path, client.baseUrl).href, call);
  } catch (error) {
    if (error instanceof ServiceError || error instanceof NetworkError) return undefined;
    throw error;
  }
}
