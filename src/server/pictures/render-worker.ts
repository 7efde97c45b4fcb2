// The entry of the render thread (see render-thread.ts).
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { Picture } from '../../skin/picture.ts';
import { decodePng } from '../../skin/png/decode.ts';
import { encodeSmallPng } from '../../skin/png/encode.ts';
import { drawInto } from '../../skin/render/render.ts';
import { chooseVariant } from '../../skin/variant.ts';
import { type CardSkin, drawCard, drawLineup, drawSetCard } from './card.ts';
import type { RenderJob, RenderResult } from './render-thread.ts';

/** Far more than any texture in the store needs. */
const MAX_BYTES = 256 * 1024;

function drawFor(port: MessagePort): void {
  port.on('message', ({ number, job }: { number: number; job: RenderJob }) => {
    port.postMessage(answer(number, job));
  });
}

function answer(number: number, job: RenderJob): RenderResult {
  try {
    return { number, bytes: encodeSmallPng(draw(job)) };
  } catch (error) {
    return { number, problem: String(error) };
  }
}

function draw({ beside = [], cape: capePng, ...job }: RenderJob): Picture {
  const { view } = job;
  const figure = figureOf(job);
  const cape = capePng && decodePng(capePng, { maxBytes: MAX_BYTES });
  if (view === 'group') return drawSetCard([figure, ...beside.map(figureOf)]);
  if (view === 'lineup') return drawLineup([figure, ...beside.map(figureOf)]);
  if (view === 'card') return drawCard({ ...figure, cape });
  return drawInto(figure.skin, { ...job, view, variant: figure.variant, cape });
}

function figureOf({ skin: png, variant }: Pick<RenderJob, 'skin' | 'variant'>): CardSkin {
  const skin = decodePng(png, { maxBytes: MAX_BYTES });
  return { skin, variant: chooseVariant(skin, variant).variant };
}

if (parentPort) drawFor(parentPort);
