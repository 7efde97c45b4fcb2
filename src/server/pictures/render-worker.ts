// The entry of the render thread (see render-thread.ts).
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { Picture } from '../../skin/picture.ts';
import { decodePng } from '../../skin/png/decode.ts';
import { encodeSmallPng } from '../../skin/png/encode.ts';
import { drawInto } from '../../skin/render/render.ts';
import { drawSolid, turnScene } from '../../skin/render/solid.ts';
import { TURN_FRAMES } from '../../skin/render/views.ts';
import { chooseVariant } from '../../skin/variant.ts';
import { type CardSkin, drawCard, drawLineup, drawSetCard } from './card.ts';
import type { RenderJob, RenderResult } from './render-thread.ts';
import { AnimationEncoder } from './webp.ts';

/** Far more than any texture in the store needs. */
const MAX_BYTES = 256 * 1024;
/** Milliseconds that a frame of a turn is shown. */
const FRAME_TIME = 100;

function drawFor(port: MessagePort): void {
  const artist = new Artist();
  port.on('message', async ({ number, job }: { number: number; job: RenderJob }) => {
    port.postMessage(await answer(artist, number, job));
  });
}

async function answer(artist: Artist, number: number, job: RenderJob): Promise<RenderResult> {
  try {
    return { number, bytes: await artist.draw(job) };
  } catch (error) {
    return { number, problem: String(error) };
  }
}

type Size = Pick<RenderJob, 'width' | 'height' | 'overlay'>;

function besideOf({ group }: Pick<RenderJob, 'group'>): CardSkin[] {
  return (group?.beside ?? []).map(({ skin: png, variant }) => {
    const skin = decodePng(png, { maxBytes: MAX_BYTES });
    return { skin, variant: chooseVariant(skin, variant).variant };
  });
}

class Artist {
  /** Opened for the first turn: each has memory of its own. */
  #encoder: Promise<AnimationEncoder> | undefined;

  async draw({ skin: png, cape: capePng, variant: wanted, ...job }: RenderJob): Promise<Uint8Array> {
    const skin = decodePng(png, { maxBytes: MAX_BYTES });
    const { variant } = chooseVariant(skin, wanted);
    const cape = capePng && decodePng(capePng, { maxBytes: MAX_BYTES });
    const { view, text, group } = job;
    if (view === 'group') {
      if (!group?.text) throw new Error('A group needs its texts.');
      return encodeSmallPng(drawSetCard([{ skin, variant }, ...besideOf(job)], group.text));
    }
    if (view === 'lineup') return encodeSmallPng(drawLineup([{ skin, variant }, ...besideOf(job)]));
    if (view === 'turn') return await this.#drawTurn({ skin, variant, cape }, job);
    if (view !== 'card') return encodeSmallPng(drawInto(skin, { ...job, view, variant, cape }));
    if (!text) throw new Error('A card needs its texts.');
    return encodeSmallPng(drawCard({ skin, variant, cape }, text));
  }

  async #drawTurn({ skin, ...look }: CardSkin, { width, height, overlay }: Size): Promise<Uint8Array> {
    this.#encoder ??= AnimationEncoder.open();
    const frame = (_: unknown, at: number): Picture =>
      drawSolid(skin, turnScene(at), { ...look, width, height, overlay });
    return (await this.#encoder).encode(Array.from({ length: TURN_FRAMES }, frame), FRAME_TIME);
  }
}

if (parentPort) drawFor(parentPort);
