import { ProofError, type ProofMeans, pixelsOf, proveSkin, readTextures } from '../../../dispatch/proof.ts';
import { GenerationError, type SkinData, type Texture } from '../port.ts';

/**
 * The address of the texture in skin data, after proving that the data is what was requested.
 * @throws GenerationError `invalid_skin_data`; what reading the texture or the key throws
 */
export async function proveData(
  data: Pick<SkinData, 'value' | 'signature'>,
  { hash, variant }: Texture,
  means: Pick<ProofMeans, 'publicKey' | 'freshKey' | 'texture'>,
): Promise<string> {
  return await asGenerationError(async () => {
    await proveSkin(data, { pixels: hash, variant }, means);
    return readTextures(data.value).skin.url;
  });
}

/** The pixel hash of a picture; undefined if it is not one of a skin. */
export function pixelsIn(png: Uint8Array): string | undefined {
  try {
    return pixelsOf(png);
  } catch (error) {
    if (error instanceof ProofError) return undefined;
    throw error;
  }
}

async function asGenerationError<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    if (error.code === 'unproven') throw error.cause; // why the texture could not be read
    const message = `The skin data of the service that makes the skins is invalid: ${error.message}`;
    throw new GenerationError('invalid_skin_data', message, { cause: error });
  }
}
