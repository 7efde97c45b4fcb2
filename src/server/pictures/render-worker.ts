// The entry of the render thread (see render-thread.ts).
import { parentPort } from 'node:worker_threads';
import { decodePng } from '../../skin/png/decode.ts';
import { encodeSmallPng } from '../../skin/png/encode.ts';
import { drawInto } from '../../skin/render/render.ts';
import { chooseVariant } from '../../skin/variant.ts';
import type { RenderJob, RenderResult } from './render-thread.ts';

/** Far more than any texture in the store needs. */
const MAX_BYTES = 256 * 1024;

parentPort?.on('message', ({ number, job }: { number: number; job: RenderJob }) => {
  parentPort?.postMessage(answer(number, job));
});

function answer(number: number, job: RenderJob): RenderResult {
  try {
    return { number, png: draw(job) };
  } catch (error) {
    return { number, problem: String(error) };
  }
}

function draw({ skin, cape, variant: wanted, ...options }: RenderJob): Uint8Array {
  const picture = decodePng(skin, { maxBytes: MAX_BYTES });
  const { variant } = chooseVariant(picture, wanted);
  const hanging = cape && decodePng(cape, { maxBytes: MAX_BYTES });
  return encodeSmallPng(drawInto(picture, { ...options, variant, cape: hanging }));
}
