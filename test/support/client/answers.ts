import type { RateLimit } from '../../../src/protocol/envelope.ts';
import type { WireJob } from '../../../src/protocol/job.ts';
import type { Skin } from '../../../src/protocol/skin.ts';
import { START } from './fake-clock.ts';

/** Parts of answers as the service sends them. */

type NamedSkin = Skin & { readonly name: string };

export function makeSkin(overrides: Partial<NamedSkin> = {}): NamedSkin {
  return {
    uuid: 'c891dfac4cd247a2a55743e7e82ce76f',
    name: 'Test Skin',
    visibility: 'public',
    variant: 'classic',
    texture: {
      data: { value: 'dmFsdWU=', signature: 'c2lnbmF0dXJl' },
      hash: { skin: 'aa11' },
      url: { skin: 'http://textures.example/texture/aa11' },
    },
    generator: { version: '1', timestamp: START, duration: 12, account: '0', server: 'test' },
    views: 1,
    duplicate: false,
    ...overrides,
  };
}

export function makeJob(overrides: Partial<WireJob> = {}): WireJob {
  return { id: 'f4c3000000000000000000aa', status: 'waiting', timestamp: START, ...overrides };
}

export function makeRateLimit(next: Partial<RateLimit['next']> = {}): RateLimit {
  return {
    next: { absolute: 0, ...(next.absolute === undefined && { relative: 0 }), ...next } as RateLimit['next'],
    delay: { millis: 100, seconds: 0.1 },
    limit: { limit: 20, remaining: 19, minute: { limit: 20, remaining: 19, used: 1, reset: START / 1000 } },
  };
}

export function refusal(code: string, message = 'No.', rest: object = {}): object {
  return { success: false, errors: [{ code, message }], ...rest };
}
