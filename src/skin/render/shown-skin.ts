import { toModern } from '../legacy.ts';
import type { Picture } from '../picture.ts';

/**
 * The 64×64 pixels from which a game client draws: a 64×32 skin is completed, and fully transparent pixels are
 * black, whatever colour the file hides there (see `encodePng`). Does not change the picture itself.
 */
export function shownSkin({ width, height, pixels }: Picture): Picture {
  const copy = Uint8Array.from(pixels);
  for (let at = 0; at < copy.length; at += 4) if (copy[at + 3] === 0) copy.fill(0, at, at + 3);
  return toModern({ width, height, pixels: copy });
}
