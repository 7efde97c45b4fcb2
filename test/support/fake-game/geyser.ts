import type { Picture } from '../../../src/skin/picture.ts';
import { type Answer, ok } from './answers.ts';
import { Person, type Variant } from './people.ts';
import type { Signer } from './signer.ts';
import type { TextureStore } from './texture-store.ts';

export interface BedrockPlan {
  readonly gamertag: string;
  readonly xuid: string;
  /** None: the player never joined through Geyser. */
  readonly skin?: { readonly picture: Picture; readonly variant?: Variant };
}

/** Two caches of Geyser's service: one answers XUIDs as numbers, the other as text. */
type XuidForm = 'number' | 'text';

/** Geyser's public service, as `xbox_controller.ex` and `skin_controller.ex` of GeyserMC/global_api have it. */
export class Geyser {
  /** Seconds for which it is at its limit. `header`: where it says so; the published source has only Cache-Control. */
  limit: { readonly seconds: number; readonly header: 'cache-control' | 'retry-after' } | undefined;
  xuids: XuidForm = 'number';
  readonly #signer: Signer;
  readonly #textures: TextureStore;
  readonly #players: BedrockPlan[] = [];
  readonly #now: () => number;

  constructor(signer: Signer, textures: TextureStore, now: () => number) {
    this.#signer = signer;
    this.#textures = textures;
    this.#now = now;
  }

  add(plan: BedrockPlan): BedrockPlan {
    this.#players.push(plan);
    return plan;
  }

  /** GET /v2/xbox/xuid/:gamertag */
  xuid(gamertag: string): Answer {
    if ([...gamertag].length > 16 || gamertag === '')
      return refused('gamertag is empty or longer than 16 chars');
    if (this.limit) return this.#limited(this.limit);
    const known = this.#players.find((one) => one.gamertag.toLowerCase() === gamertag.toLowerCase());
    if (!known) return ok({});
    return ok({ xuid: this.xuids === 'number' ? Number(known.xuid) : known.xuid });
  }

  /** GET /v2/skin/:xuid */
  async skin(xuid: string): Promise<Answer> {
    if (!/^\d+$/.test(xuid)) return refused('xuid should be an int');
    const { skin } = this.#players.find((one) => one.xuid === xuid) ?? {};
    if (!skin) return ok({});
    const { picture, variant = 'classic' } = skin;
    const hash = this.#textures.keep(picture);
    const uploader = new Person({ name: 'Uploader' }, 0, this.#textures);
    const signing = { isSigned: true, isForged: false, now: this.#now() };
    const profile = await this.#signer.profile(uploader, { skin: { hash, variant } }, signing);
    const [{ value, signature }] = profile['properties'] as [{ value: string; signature: string }];
    return ok({
      hash: 'a'.repeat(64),
      texture_id: hash,
      value,
      signature,
      is_steve: variant === 'classic',
      last_update: this.#now(),
    });
  }

  #limited({ seconds, header }: NonNullable<Geyser['limit']>): Answer {
    const age = header === 'retry-after' ? `${seconds}` : `max-age=${seconds}, public`;
    return {
      status: 503,
      headers: { [header]: age },
      content: { message: 'unable to handle request: too much traffic' },
    };
  }
}

function refused(message: string): Answer {
  return {
    status: 400,
    headers: { 'cache-control': 'max-age=604800, immutable, public' },
    content: { message },
  };
}
