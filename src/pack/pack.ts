import { deflateSync } from 'fflate';
import { copyInto, makePicture, type Picture } from '../skin/picture.ts';
import { drawView } from '../skin/render/render.ts';
import { headCommand, mannequinCommand, type PackLook, type ProfileSkin } from '../textures/commands.ts';
import { type GameRange, packMeta } from './games.ts';
import { functionPath, type PackTextureKind, textureLocation, texturePath } from './names.ts';
import { type PackSkinTexture, type PackTexture, packPng, skinTexture } from './texture.ts';

export interface PackFile {
  /** Path in the pack, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Whether it is worth compressing. */
  readonly isText?: boolean;
}

export interface PackOptions {
  readonly namespace: string;
  readonly game: GameRange;
  readonly description: string;
}

/** What a source adds to a pack. */
export interface PackSource {
  /** Its id in the pack, as `idsOf` gives them. */
  readonly id: string;
  /** Its name for people. */
  readonly name: string;
  readonly skin: PackSkinTexture;
  readonly cape?: PackTexture | undefined;
  readonly elytra?: PackTexture | undefined;
}

export interface PackedSkin extends PackLook, Pick<PackSource, 'id' | 'name'> {
  readonly variant: 'classic' | 'slim';
  /** Pixel hash of the texture. */
  readonly pixels: string;
}

/** A skin that was added, with its files in the resource pack. */
interface Added {
  readonly skin: PackedSkin;
  readonly files: readonly PackFile[];
}

/**
 * Makes a resource pack source by source. Each has files of its own, even if another looks the same: a command with its
 * id must not depend on whether the other stays.
 */
export class ResourcePack {
  readonly #options: PackOptions;
  /** Kinds and pixels of the textures so far. */
  readonly #textures = new Set<string>();
  /** Those that the icon shows. */
  readonly #first: PackSkinTexture[] = [];

  constructor(options: PackOptions) {
    this.#options = options;
  }

  /** Number of different textures so far. */
  get textures(): number {
    return this.#textures.size;
  }

  /** The first file. */
  meta(): PackFile {
    return metaFile('resource', this.#options);
  }

  add({ id, name, skin, cape, elytra }: PackSource): Added {
    const files: PackFile[] = [];
    const place = (kind: PackTextureKind, { pixels, png }: PackTexture) => {
      const location = textureLocation(this.#options.namespace, kind, id);
      this.#textures.add(`${kind} ${pixels}`);
      files.push({ path: texturePath(location), bytes: png });
      return location;
    };
    if (this.#first.length < ICON_FACES) this.#first.push(skin);
    const packed = {
      id,
      name,
      variant: skin.variant,
      pixels: skin.pixels,
      texture: place('texture', skin),
      ...(cape && { cape: place('cape', cape) }),
      ...(elytra && { elytra: place('elytra', elytra) }),
    };
    return { skin: packed, files };
  }

  /** The picture of the pack in the game's list: the faces of its first skins. */
  icon(): PackFile {
    return { path: 'pack.png', bytes: packPng(drawIcon(this.#first.map(faceOf))) };
  }
}

function metaFile(kind: 'resource' | 'data', { game, description }: PackOptions): PackFile {
  return textFile('pack.mcmeta', packMeta(kind, game, description));
}

function textFile(path: string, text: string): PackFile {
  return { path, bytes: Buffer.from(text), isText: true };
}

const ICON_SIZE = 128;
/** Faces on an icon: in two rows. */
const ICON_FACES = 4;

function faceOf({ png, variant }: PackSkinTexture): Picture {
  return drawView(skinTexture(png).picture, { view: 'face', size: ICON_SIZE / 2, variant });
}

function drawIcon(faces: readonly Picture[]): Picture {
  const icon = makePicture(ICON_SIZE, ICON_SIZE);
  const half = ICON_SIZE / 2;
  for (let place = 0; place < ICON_FACES && faces.length > 0; place++) {
    const face = faces[place % faces.length]!;
    copyInto(icon, face, (place % 2) * half, Math.floor(place / 2) * half);
  }
  return icon;
}

/** Mannequins in a row of the function that lines all of them up. */
const ROW = 20;
/** Blocks between them, and between the player and the first. */
const STEP = 2;

export interface DataPackOptions extends PackOptions {
  /** Whether the mannequins can be hurt. */
  readonly isVulnerable?: boolean | undefined;
}

/** Makes the data pack that belongs to a resource pack: functions that give heads and summon mannequins. */
export class DataPack {
  readonly #options: DataPackOptions;
  readonly #lines: string[] = [];

  constructor(options: DataPackOptions) {
    this.#options = options;
  }

  meta(): PackFile {
    return metaFile('data', this.#options);
  }

  add(packed: PackedSkin): readonly PackFile[] {
    const { name, variant, texture, cape, elytra } = packed;
    const skin = { name, variant, look: { texture, cape, elytra } };
    const { namespace } = this.#options;
    const place = this.#lines.length;
    const at = `~${((place % ROW) + 1) * STEP} ~ ~${Math.floor(place / ROW) * STEP}`;
    this.#lines.push(this.#mannequin(skin, at, [namespace, this.#lineup]));
    return [
      this.#function(`give/${packed.id}`, headCommand(skin, { limit: Number.POSITIVE_INFINITY })),
      this.#function(`summon/${packed.id}`, this.#mannequin(skin, '~ ~ ~', [namespace])),
    ];
  }

  /** The functions about all skins, which come last. A line-up takes the place of an earlier one. */
  rest(): readonly PackFile[] {
    return [
      this.#function('lineup', killTagged(this.#lineup), ...this.#lines),
      this.#function('remove', killTagged(this.#options.namespace)),
    ];
  }

  /** The tag of the mannequins in the line-up, which have the namespace as a tag too. No namespace has a plus sign. */
  get #lineup(): string {
    return `${this.#options.namespace}+lineup`;
  }

  #mannequin(skin: ProfileSkin, at: string, tags: readonly string[]): string {
    const life = this.#options.isVulnerable ? '' : ',Invulnerable:true,Health:20f';
    const rest = `,immovable:true${life},Tags:[${tags.map((tag) => `"${tag}"`).join()}]`;
    return mannequinCommand(skin, { at, rest, limit: Number.POSITIVE_INFINITY });
  }

  #function(name: string, ...lines: readonly string[]): PackFile {
    return textFile(functionPath(this.#options.namespace, name), `${lines.join('\n')}\n`);
  }
}

function killTagged(tag: string): string {
  return `kill @e[type=mannequin,tag=${tag}]`;
}

/** Bytes below which compressing a text saves nothing. */
const SHORT = 512;

/** The bytes of a text that go into an archive: the same in every version of Node. */
export function deflated({ bytes, isText = false }: PackFile): Uint8Array | undefined {
  return isText && bytes.length >= SHORT ? deflateSync(bytes, { level: 9 }) : undefined;
}

/** The comment at the end of archives, by which they are known. */
export const PACK_MARK = 'skinsmith pack';

/** Largest pack that clients accept from a server, in bytes (Minecraft 1.18 and later). */
export const MAX_SERVER_PACK = 250 * 1024 * 1024;
