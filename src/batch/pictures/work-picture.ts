import { InvalidImageError, type Picture } from '../../skin/picture.ts';
import { pixelHash } from '../../skin/pixel-hash.ts';
import { decodePng } from '../../skin/png/decode.ts';
import type { SourceContent } from '../model/source.ts';
import { pixelsOf, type Work } from '../model/work.ts';
import { readContent } from './inspect-source.ts';

/** The source's picture, read again if it was not kept; undefined: it has none, or it has changed. */
export function pictureOf(work: Work): Picture | undefined {
  const bytes = work.bytes ?? bytesOf(work.members[0]?.source.content);
  if (!bytes) return undefined;
  try {
    const picture = decodePng(bytes);
    return pixelHash(picture) === pixelsOf(work) ? picture : undefined;
  } catch (error) {
    if (error instanceof InvalidImageError) return undefined;
    throw error;
  }
}

function bytesOf(content: SourceContent | undefined): Uint8Array | undefined {
  if (content?.kind !== 'file' && content?.kind !== 'bytes') return undefined;
  const read = readContent(content);
  return 'bytes' in read ? read.bytes : undefined;
}
