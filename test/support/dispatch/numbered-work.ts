import type { SkinClient } from '../../../src/client/skin-client.ts';
import type { Submission } from '../../../src/dispatch/limits.ts';
import { pixelsOf } from '../../../src/dispatch/proof.ts';
import { Session, type SessionOptions, type SkinRequest } from '../../../src/dispatch/session.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import type { VirtualClock } from '../scripted/virtual-clock.ts';
import { drawSkin, skinPng } from '../server/drawn-skins.ts';

/** The skin of a number, to be made. */
export interface NumberedWork extends Submission {
  readonly number: number;
}

export function workOf(number: number): NumberedWork {
  const inputs = { variant: 'auto', visibility: undefined, cape: undefined } as const;
  return { key: `skin ${number}`, ...inputs, attempt: 0, losses: 0, number };
}

export function requestOf({ number }: NumberedWork): SkinRequest {
  return { source: { file: skinPng(number) }, options: {} };
}

/** What finds lost submissions of such work again. */
export function pixelReading(client: SkinClient) {
  return {
    pixelsOf: ({ number }: NumberedWork) => pixelHash(drawSkin(number)),
    texturePixels: async (url: string) => pixelsOf(await client.texture(url)),
  };
}

interface SessionSetUp extends Partial<SessionOptions<NumberedWork>> {
  readonly client: SkinClient;
  readonly clock: VirtualClock;
}

/** A session without surprises: all jobs of `own` are its own, and an error that is fatal is thrown. */
export function openSession(setUp: SessionSetUp): Session<NumberedWork> & { readonly own: Set<string> } {
  const own = new Set<string>();
  const session = new Session<NumberedWork>({
    random: () => 0.5,
    submissions: { isOwnJob: (id) => own.has(id), idempotencyKey: ({ key, attempt }) => `${key} ${attempt}` },
    longestLookPause: 5_000,
    patience: { firstContact: 8_000, outage: 900_000 },
    onWaiting: () => {},
    onFatal: (error) => {
      throw error;
    },
    onTaskEnd: () => {},
    ...setUp,
  });
  return Object.assign(session, { own });
}
