import { createHash, randomBytes } from 'node:crypto';
import type { Picture } from '../../../src/skin/picture.ts';
import type { TextureStore } from './texture-store.ts';

export type Variant = 'classic' | 'slim';

export interface WornSkin {
  readonly hash: string;
  readonly variant: Variant;
}

/** What a profile shows. */
export interface Look {
  readonly skin?: WornSkin | undefined;
  /** Hash of the cape's texture. */
  readonly cape?: string | undefined;
}

export interface PersonPlan {
  readonly name?: string;
  /** 32 digits; default: random (version 4). */
  readonly id?: string;
  /** None: the player has a default skin. */
  readonly skin?: { readonly picture: Picture; readonly variant?: Variant };
  readonly cape?: Picture;
  /** Whether an item of the shop says that the account owns the game; default: true. */
  readonly hasItem?: boolean;
  /** Whether the account ever chose a name; default: true. */
  readonly hasProfile?: boolean;
}

/** Someone who has a game account. */
export class Person {
  readonly id: string;
  readonly name: string;
  readonly hasItem: boolean;
  readonly hasProfile: boolean;
  /** Tokens that the services accept for it, newest last. */
  tokens: readonly string[] = [];
  isSuspended = false;
  look: Look;
  /** The skin worn before the last change, still listed by the services. */
  former: WornSkin | undefined;
  /** What the session server shows instead of `look`, for this many more reads. */
  stale: { readonly look: Look; reads: number } | undefined;

  constructor(plan: PersonPlan, number: number, textures: TextureStore) {
    this.id = plan.id ?? randomPlayerId();
    this.name = plan.name ?? `Player${number}`;
    this.hasItem = plan.hasItem ?? true;
    this.hasProfile = plan.hasProfile ?? true;
    const { skin, cape } = plan;
    this.look = {
      skin: skin && { hash: textures.keep(skin.picture), variant: skin.variant ?? 'classic' },
      cape: cape && textures.keep(cape),
    };
  }

  /** The newest token. @throws Error when there is none */
  get token(): string {
    const token = this.tokens.at(-1);
    if (token === undefined) throw new Error(`${this.name} has no token.`);
    return token;
  }

  /** `staleReads`: how often the session server will still show what it showed until now. */
  wear(look: Look, staleReads: number): void {
    if (staleReads > 0) this.stale = { look: this.stale?.look ?? this.look, reads: staleReads };
    this.former = this.look.skin;
    this.look = look;
  }

  /** What the session server shows now. */
  nextRead(): Look {
    if (!this.stale || this.stale.reads === 0) return this.look;
    this.stale.reads--;
    const { look } = this.stale;
    if (this.stale.reads === 0) this.stale = undefined;
    return look;
  }
}

/** All people. */
export class People {
  readonly #textures: TextureStore;
  readonly #byId = new Map<string, Person>();
  #tokens = 0;

  constructor(textures: TextureStore) {
    this.#textures = textures;
  }

  add(plan: PersonPlan): Person {
    const person = new Person(plan, this.#byId.size + 1, this.#textures);
    this.#byId.set(person.id, person);
    return person;
  }

  /** One more token for an account, as a login gives it. */
  issueToken(person: Person): string {
    const number = ++this.#tokens;
    const digits = createHash('sha256').update(`${person.id} ${number}`).digest('base64url');
    person.tokens = [...person.tokens, `eyJ.${digits}.${number}`];
    return person.token;
  }

  byId(id: string): Person | undefined {
    return this.#byId.get(id.toLowerCase());
  }

  byToken(token: string | undefined): Person | undefined {
    return token === undefined ? undefined : this.#find(({ tokens }) => tokens.includes(token));
  }

  byName(name: string): Person | undefined {
    const wanted = name.toLowerCase();
    return this.#find((person) => person.hasProfile && person.name.toLowerCase() === wanted);
  }

  #find(suits: (person: Person) => boolean): Person | undefined {
    return [...this.#byId.values()].find(suits);
  }
}

function randomPlayerId(): string {
  const digits = randomBytes(16).toString('hex');
  return `${digits.slice(0, 12)}4${digits.slice(13, 16)}8${digits.slice(17)}`;
}
