import { InvalidImageError, type Picture } from '../../skin/picture.ts';
import { decodePng } from '../../skin/png/decode.ts';
import { pixelHash } from '../../skin/read-skin.ts';
import { pixelsOf, type Work } from '../model/work.ts';
import { inspectSource } from './inspect-source.ts';

/** The source's picture, read again if it was not kept; undefined: it has none, or it has changed. */
export function pictureOf(work: Work): Picture | undefined {
  const bytes = work.bytes ?? bytesOf(work);
  if (!bytes) return undefined;
  try {
    const picture = decodePng(bytes);
    return pixelHash(picture) === pixelsOf(work) ? picture : undefined;
  } catch (error) {
    if (error instanceof InvalidImageError) return undefined;
    throw error;
  }
}

/** As they are sent. */
function bytesOf({ members: [first], variant }: Work): Uint8Array | undefined {
  const content = first?.source.content;
  if (content?.kind !== 'file' && content?.kind !== 'bytes') return undefined;
  const read = inspectSource(content, variant, undefined);
  return 'bytes' in read ? read.bytes : undefined;
}
