import { makePicture } from '../../../src/skin/picture.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import type { ServerUnderTest } from './running-server.ts';

/** A cape with a colour of its own for each number. */
export function capePng(number: number): Buffer {
  const picture = makePicture(64, 32);
  for (let at = 0; at < picture.pixels.length; at += 4) picture.pixels.set([number & 255, 40, 90, 255], at);
  return encodePng(picture);
}

/** Adds a cape as the operator. Returns its UUID, with dashes. */
export async function addCape({ owner }: ServerUnderTest, alias: string, number = 1): Promise<string> {
  const { body } = await owner.upload('/v2/account/capes', capePng(number), { alias });
  return String(body.cape?.uuid);
}
