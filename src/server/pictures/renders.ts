import { hash } from 'node:crypto';
import { ByteCache } from '../../base/caches.ts';
import { VERSION } from '../../base/version.ts';
import type { AnyView } from '../../skin/render/render.ts';
import { TURN_FRAMES } from '../../skin/render/solid.ts';
import type { Variant } from '../../skin/variant.ts';
import type { Caller } from '../service/callers.ts';
import { Refusal } from '../service/refusal.ts';
import type { RenderBudget } from './budgets.ts';
import type { GroupText } from './card.ts';
import type { RenderJob, RenderThread } from './render-thread.ts';

/** A texture's name, and a function that reads its bytes. */
export interface NamedTexture {
  readonly hash: string;
  readonly png: Uint8Array;
}

export interface RenderInput extends Omit<RenderJob, 'skin' | 'cape' | 'group'> {
  readonly skin: NamedTexture;
  readonly cape?: NamedTexture | undefined;
  readonly group?: GroupInput | undefined;
}

/** The figures beside the first one, and the texts of their card. */
export interface GroupInput {
  readonly beside: readonly { readonly skin: NamedTexture; readonly variant: Variant | 'auto' }[];
  readonly text?: GroupText;
}

export interface Render {
  /** A PNG, or for a turn a WebP file. */
  readonly bytes: Uint8Array;
  /** Identifies the picture for ETag: equal inputs have equal names. */
  readonly name: string;
}

/** Bytes of pictures to keep: thousands of small ones. */
const MAX_CACHE_BYTES = 32 * 1024 * 1024;
/** Pictures that may wait for the thread; the largest take about 50 ms each. */
const MAX_WAITING = 64;
/** Pixels: pages scale it. */
const STAND_IN_SIZE = 64;

/** The pictures that this process has drawn. Each is drawn once, for the first request. */
export class Renders {
  readonly #budget: RenderBudget;
  readonly #cache = new ByteCache<Uint8Array>(MAX_CACHE_BYTES, ({ length }) => length);
  readonly #underWay = new Map<string, Promise<Uint8Array>>();
  #thread: Promise<RenderThread> | undefined;

  constructor(budget: RenderBudget) {
    this.#budget = budget;
  }

  /** The name that `render` would give the picture, for callers that may already have it. */
  nameOf({ skin, cape, view, variant, overlay, width, height, text, group }: RenderInput): string {
    const input = [VERSION, skin.hash, cape?.hash ?? '', view, variant, overlay, width, height];
    const texts = text ? [text.name, text.signer, text.service] : [];
    const others = group
      ? [group.text ?? '', ...group.beside.map((one) => [one.skin.hash, one.variant])]
      : [];
    return hash('sha256', JSON.stringify([...input, ...texts, ...others]), 'base64url');
  }

  /**
   * Only a picture that has to be drawn counts against the caller's budget. `name`: from `nameOf`, if it is known.
   * @throws Refusal `rate_limit`, or `service_unavailable` when too many pictures wait to be drawn
   */
  async render(input: RenderInput, caller: Caller, name = this.nameOf(input)): Promise<Render> {
    const bytes = this.#cache.get(name) ?? this.#underWay.get(name) ?? this.#draw(name, input, caller);
    return { bytes: await bytes, name };
  }

  async close(): Promise<void> {
    await (await this.#thread)?.stop();
  }

  /** A picture of a default skin, for callers who have used up their budget. It does not count against it. */
  async standIn(skin: NamedTexture, variant: Variant, view: AnyView): Promise<Uint8Array> {
    const input = { skin, variant, view, overlay: true, width: STAND_IN_SIZE, height: STAND_IN_SIZE };
    const name = this.nameOf(input);
    return await (this.#cache.get(name) ?? this.#underWay.get(name) ?? this.#drawOnce(name, input));
  }

  #draw(name: string, input: RenderInput, caller: Caller): Promise<Uint8Array> {
    if (this.#underWay.size >= MAX_WAITING) {
      const message = 'Too many pictures are waiting to be drawn. Try again in a moment.';
      throw new Refusal('service_unavailable', { message, headers: { 'Retry-After': '1' } });
    }
    const { width, height, view } = input;
    this.#budget.spend(caller, { width, height: view === 'turn' ? height * TURN_FRAMES : height });
    return this.#drawOnce(name, input);
  }

  #drawOnce(name: string, input: RenderInput): Promise<Uint8Array> {
    const drawing = this.#drawInThread(input).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, drawing);
    return drawing.then((bytes) => {
      this.#cache.set(name, bytes);
      return bytes;
    });
  }

  async #drawInThread({ skin, cape, group, ...options }: RenderInput): Promise<Uint8Array> {
    this.#thread ??= import('./render-thread.ts').then(({ RenderThread }) => new RenderThread());
    const beside = group?.beside.map((one) => ({ ...one, skin: one.skin.png })) ?? [];
    return await (await this.#thread).draw({
      ...options,
      skin: skin.png,
      cape: cape?.png,
      group: group && { ...group, beside },
    });
  }
}
