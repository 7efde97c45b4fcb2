import { z } from 'zod';
import published from '../../fixtures/textures/published.json' with { type: 'json' };
import { type Answer, badImage, notFound, ok, suspended, unauthorized } from './answers.ts';
import type { Call, CallKind } from './calls.ts';
import type { Fault } from './faults.ts';
import { readJson, readSkinUrl, readUpload } from './forms.ts';
import { Geyser } from './geyser.ts';
import { type Look, People, type Person, type WornSkin } from './people.ts';
import { Signer } from './signer.ts';
import { TextureStore } from './texture-store.ts';

/** The game's real key of 2020, which signs nothing here: the list has more than one. */
const { publicKey: OTHER_KEY } = published;

interface Answered {
  readonly answer: Answer;
  /** The skin that was set, or shown. */
  readonly texture?: string | undefined;
}

type Handler = (call: Call, fault: Fault | undefined) => Promise<Answered> | Answered;
type AccountHandler = (person: Person, call: Call, fault: Fault | undefined) => Promise<Answered> | Answered;
export type ApiKind = Exclude<CallKind, 'device_code' | 'token' | 'xbox' | 'xsts' | 'login' | 'control'>;

/** The game's services except logging in: permissions and answers. */
export class GameApi {
  readonly textures = new TextureStore();
  readonly people = new People(this.textures);
  readonly signer: Signer;
  readonly geyser: Geyser;
  /** Who has joined a server, by the secret that both agreed on. */
  readonly joined = new Map<string, Person>();
  readonly #root: string;
  readonly #now: () => number;
  readonly #handlers: Readonly<Record<ApiKind, Handler>> = {
    profile: (call, fault) => this.#profile(call, fault),
    joined: (call) => this.#hasJoined(call),
    account: this.#asAccount((person) => ({ answer: ok(this.#accountView(person)) })),
    skin_upload: this.#asAccount((person, call, fault) => this.#upload(person, call, fault)),
    skin_url: this.#asAccount((person, call, fault) => this.#takeFromUrl(person, call, fault)),
    skin_reset: this.#asAccount((person) => this.#dress(person, { ...person.look, skin: undefined })),
    cape_hide: this.#asAccount((person) => this.#dress(person, { ...person.look, cape: undefined })),
    entitlements: this.#asAccount(({ hasItem }) => ({
      answer: ok({ items: hasItem ? [{ name: 'product_minecraft' }, { name: 'game_minecraft' }] : [] }),
    })),
    name: ({ subject }) => ({ answer: this.#name(subject) }),
    names: ({ body }) => ({ answer: this.#names(readJson(body)) }),
    keys: () => ({ answer: this.#keys() }),
    texture: ({ subject }) => ({ answer: this.#texture(subject) }),
    xuid: ({ subject }) => ({ answer: this.geyser.xuid(subject) }),
    bedrock_skin: async ({ subject }) => ({ answer: await this.geyser.skin(subject) }),
    other: () => ({ answer: notFound('?') }),
  };

  private constructor(root: string, signer: Signer, now: () => number) {
    this.#root = root;
    this.signer = signer;
    this.geyser = new Geyser(signer, this.textures, now);
    this.#now = now;
  }

  /** `root`: where all of it is served, no slash at its end. */
  static async open(
    root: string,
    options: { signingKeyPath?: string | undefined; now: () => number },
  ): Promise<GameApi> {
    const signer = await Signer.open(`${root}/texture`, options.signingKeyPath);
    return new GameApi(root, signer, options.now);
  }

  async answer(kind: ApiKind, call: Call, fault: Fault | undefined): Promise<Answered> {
    return await this.#handlers[kind](call, fault);
  }

  #asAccount(handler: AccountHandler): Handler {
    return async (call, fault) => {
      const person = this.people.byToken(call.token);
      if (!person) return { answer: unauthorized() };
      if (person.isSuspended) return { answer: suspended() };
      if (!person.hasProfile && call.kind !== 'entitlements')
        return { answer: notFound('/minecraft/profile') };
      return await handler(person, call, fault);
    };
  }

  async #profile({ subject, query }: Call, fault: Fault | undefined): Promise<Answered> {
    const person = this.people.byId(subject);
    if (!person?.hasProfile) return { answer: { status: 204 } };
    const look = person.nextRead();
    const isSigned = query.get('unsigned') === 'false';
    const isForged = fault?.kind === 'forged';
    const content = await this.signer.profile(person, look, { isSigned, isForged, now: this.#now() });
    return { answer: ok(content), texture: look.skin?.hash };
  }

  async #hasJoined({ query }: Call): Promise<Answered> {
    const person = this.joined.get(query.get('serverId') ?? '');
    if (person?.name !== query.get('username')) return { answer: { status: 204 } };
    const options = { isSigned: true, isForged: false, now: this.#now() };
    return { answer: ok(await this.signer.profile(person, person.look, options)) };
  }

  async #upload(person: Person, call: Call, fault: Fault | undefined): Promise<Answered> {
    const sent = await readUpload(call);
    if ('status' in sent) return { answer: sent };
    const { picture, variant } = sent;
    const hash = fault?.kind === 'altered' ? this.textures.keepAltered(picture) : this.textures.keep(picture);
    return this.#dress(person, { ...person.look, skin: { hash, variant } }, fault);
  }

  #takeFromUrl(person: Person, call: Call, fault: Fault | undefined): Answered {
    const sent = readSkinUrl(call);
    if ('status' in sent) return { answer: sent };
    const hash = sent.url.split('/').at(-1)!;
    const isKnown = sent.url === `${this.#root}/texture/${hash}` && this.textures.file(hash);
    if (!isKnown) return { answer: badImage() };
    return this.#dress(person, { ...person.look, skin: { hash, variant: sent.variant } }, fault);
  }

  /** The answer shows the requested look, even if it changes a moment later. */
  #dress(person: Person, look: Look, fault?: Fault): Answered {
    person.wear(look, fault?.kind === 'stale' ? fault.reads : 0);
    const answered = { answer: ok(this.#accountView(person)), texture: look.skin?.hash };
    if (fault?.kind === 'foreign') {
      person.wear({ ...look, skin: { hash: this.textures.keepForeign(), variant: 'classic' } }, 0);
    }
    return answered;
  }

  /** What is not worn any more comes first, as a trap. */
  #accountView({ id, name, look, former }: Person): Record<string, unknown> {
    const entry = (skin: WornSkin, state: string) => ({
      id: `${skin.hash.padStart(8, '0').slice(0, 8)}-0000-4000-8000-000000000000`,
      state,
      url: `${this.#root}/texture/${skin.hash}`,
      textureKey: skin.hash,
      variant: skin.variant.toUpperCase(),
    });
    const skins = [former && entry(former, 'INACTIVE'), look.skin && entry(look.skin, 'ACTIVE')];
    const url = `${this.#root}/texture/${look.cape}`;
    const cape = { id: 'c0000000-0000-4000-8000-000000000000', state: 'ACTIVE', url, alias: 'Test' };
    const capes = look.cape === undefined ? [] : [cape];
    return { id, name, skins: skins.filter((skin) => skin !== undefined), capes, profileActions: {} };
  }

  #name(name: string): Answer {
    if (!/^\w{2,25}$/.test(name)) return violation('/minecraft/profile/lookup/name');
    const person = this.people.byName(name);
    if (person) return ok({ id: person.id, name: person.name });
    return {
      status: 404,
      content: { path: `/minecraft/profile/lookup/name/${name}`, errorMessage: 'Not found' },
    };
  }

  #names(sent: unknown): Answer {
    const names = z
      .array(z.string().regex(/^\w{2,25}$/))
      .min(1)
      .max(10)
      .safeParse(sent);
    if (!names.success) return violation('/minecraft/profile/lookup/bulk/byname');
    const found = names.data.map((name) => this.people.byName(name)).filter((person) => person !== undefined);
    return ok(found.map(({ id, name }) => ({ id, name })));
  }

  #keys(): Answer {
    const keys = [{ publicKey: OTHER_KEY }, { publicKey: this.signer.publicKey }];
    return ok({ profilePropertyKeys: keys, playerCertificateKeys: [{ publicKey: OTHER_KEY }] });
  }

  #texture(hash: string): Answer {
    const content = this.textures.file(hash);
    return content ? ok(content) : { status: 404 };
  }
}

function violation(path: string): Answer {
  return { status: 400, content: { path, error: 'CONSTRAINT_VIOLATION', errorMessage: 'Invalid name' } };
}
