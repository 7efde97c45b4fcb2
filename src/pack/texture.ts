import { zlibSync } from 'fflate';
import { MAX_CHECKED_BYTES } from '../skin/check.ts';
import { InvalidImageError, isHdSkinSize, type Picture } from '../skin/picture.ts';
import { readPixels, readPng, verifyFileSize } from '../skin/png/decode.ts';
import { encodePng } from '../skin/png/encode.ts';
import { readHeader } from '../skin/png/header.ts';
import { decodeCape, headerOf, pixelHash } from '../skin/read-skin.ts';
import { baseTransparency, scaleRect, toModern, type Variant, withOpaqueBase } from '../skin/regions.ts';
import { detectVariant } from '../skin/variant.ts';
import { isBlank } from '../skin/warnings.ts';

/** A texture as a pack holds it. */
export interface PackTexture {
  /** The file of the source, unless the game could not show that. */
  readonly png: Uint8Array;
  /** Pixel hash of the picture, before base layers were made opaque. */
  readonly pixels: string;
}

export interface PackSkinTexture extends PackTexture {
  readonly variant: Variant;
}

export interface SkinTexture extends PackSkinTexture {
  /** 64×64 pixels, to draw it. */
  readonly picture: Picture;
  /** Pixel hash of the file, which may have another size than the texture. */
  readonly source: string;
  /** Whether see-through pixels of the base layer were made opaque. */
  readonly isMadeOpaque: boolean;
  /** Whether the picture is fully transparent. */
  readonly isClear: boolean;
}

interface SkinTextureOptions {
  /** Absent: the picture shows it. */
  readonly variant?: Variant | undefined;
  /** Whether HD skins are scaled down. */
  readonly fit?: boolean | undefined;
  /** Whether see-through pixels of the base layer stay so. */
  readonly keepsTransparency?: boolean | undefined;
}

/** Far more bytes than a skin of 1024×1024 pixels needs. */
const MAX_HD_BYTES = 4 * 1024 * 1024;
/** The size of a skin, and of the face on it. */
const SIZE = 64;

/**
 * A skin's file as a texture for a pack. Minecraft shows textures of packs as they are, at any multiple of 64×64 pixels. It
 * converts only downloaded skins: those of 64×32 pixels to 64×64, and base layers to opaque ones. So both is done here.
 * @throws InvalidImageError
 */
export function skinTexture(
  bytes: Uint8Array,
  { variant: wanted, fit = false, keepsTransparency = false }: SkinTextureOptions = {},
): SkinTexture {
  const { original, faults } = readAny(bytes, fit);
  const picture = toModern(fit ? scaled(original) : original);
  const pixels = pixelHash(picture);
  // A skin of 64×32 has classic arms, which only its original shows.
  const variant = wanted ?? detectVariant(scaled(original)).variant;
  const isMadeOpaque = !keepsTransparency && baseTransparency(picture, variant).seeThrough > 0;
  const shown = isMadeOpaque ? withOpaqueBase(picture) : picture;
  const isUnchanged = shown === original && faults.length === 0;
  return {
    png: isUnchanged ? bytes : packPng(shown),
    pixels,
    picture: scaled(shown),
    source: picture === original ? pixels : pixelHash(original),
    variant,
    isMadeOpaque,
    isClear: isBlank(original),
  };
}

/** @throws InvalidImageError */
function readAny(
  bytes: Uint8Array,
  fit: boolean,
): { readonly original: Picture; readonly faults: readonly string[] } {
  const header = headerOf(bytes);
  if (!header || !isHdSkinSize(header.width, header.height)) {
    const { picture, faults } = readPng(bytes, { maxBytes: MAX_CHECKED_BYTES });
    return { original: picture, faults };
  }
  const { width, height } = header;
  if (height !== width && !fit) {
    const message = `The picture is ${width}×${height} pixels, an HD skin in the layout from before Minecraft 1.8.`;
    throw new InvalidImageError('dimensions', message, {
      hint: 'Packs take square HD skins. With --fit it is scaled down and converted.',
    });
  }
  verifyFileSize('picture', bytes.length, MAX_HD_BYTES);
  const { picture, faults } = readPixels(bytes, header);
  return { original: picture, faults };
}

/** The picture 64 pixels wide. */
function scaled(picture: Picture): Picture {
  const { width, height } = picture;
  return width === SIZE
    ? picture
    : scaleRect(picture, { x: 0, y: 0, width, height }, SIZE, (SIZE * height) / width);
}

/**
 * The file of a cape or of elytra as a texture for a pack: 64×32 pixels or a multiple.
 * @throws InvalidImageError
 */
export function capeTexture(bytes: Uint8Array): PackTexture {
  const header = readHeader(bytes);
  const { width, height } = header;
  if (isHdSkinSize(width, height) && width === height * 2) verifyFileSize('cape', bytes.length, MAX_HD_BYTES);
  else decodeCape(bytes); // which says what is wrong
  const { picture, faults } = readPixels(bytes, header);
  return { png: faults.length === 0 ? bytes : packPng(picture), pixels: pixelHash(picture) };
}

/** A PNG with the same bytes in every version of Node, whose own zlibs differ. */
export function packPng(picture: Picture): Uint8Array {
  return encodePng(picture, (rows) => zlibSync(rows, { level: 9 }));
}
