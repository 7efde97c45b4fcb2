import { bareUuid, isUuid } from '../../../base/uuid.ts';
import { visibilitySchema } from '../../../protocol/skin.ts';
import { skinNameFrom } from '../../../protocol/skin-name.ts';
import { InvalidTexturesError, parseTextures, textureName } from '../../../textures/property.ts';
import type { BatchSource, GivenSkin, SourceContent } from '../../model/source.ts';
import { mirroredStem } from '../files/path.ts';
import type { SkinInJson } from './skin-json.ts';

/** Characters of a texture's name that identify a skin for people. */
const SHOWN_NAME = 16;
/** The signature of an 8,192-bit key has 1,368. */
const LONGEST_SIGNATURE = 4_096;
/** Names in results and the lockfile for sources without a path. */
const NO_PATH = /^(?:https?|user|bytes|value|skin|data):/i;
const LONGEST_LABEL = 256;

/**
 * Skin data as a source, named by the JSON, otherwise by its place in a file, otherwise by the texture in its
 * value.
 */
export function skinSource({ signature, ...about }: SkinInJson, place?: string): BatchSource {
  const value = padded(about.value);
  const read = readTexture(value, signature);
  if ('problem' in read) {
    const label = about.source ?? place ?? `value:${value.slice(0, SHOWN_NAME)}…`;
    return { label: label.slice(0, LONGEST_LABEL), content: problem(read), stem: 'value' };
  }
  const { name } = read;
  const short = name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name;
  const { source, value: _, ...rest } = about;
  return {
    label: (source ?? place ?? `value:${short}`).slice(0, LONGEST_LABEL),
    content: { kind: 'data', given: { value, ...(signature && { signature }), ...checked(rest) } },
    stem: stemOf(source, about.name, name),
  };
}

/** Base64 whose padding got lost where it was copied. */
function padded(value: string): string {
  return /^[A-Za-z0-9+/]+$/.test(value) && value.length % 4 > 1
    ? value.padEnd(Math.ceil(value.length / 4) * 4, '=')
    : value;
}

/** Why a value is no skin data. `isCut`: its end seems to be missing. */
interface Unreadable {
  readonly problem: string;
  readonly isCut?: boolean;
}

/** The texture's name, or why there is none. */
function readTexture(value: string, signature: string | undefined): { readonly name: string } | Unreadable {
  if (signature !== undefined && signature.length > LONGEST_SIGNATURE)
    return { problem: `The signature has more than ${LONGEST_SIGNATURE} characters.` };
  try {
    const { skin } = parseTextures(value);
    if (!skin) return { problem: 'The value contains no skin.' };
    return { name: textureName(skin.url) || 'texture' };
  } catch (error) {
    if (!(error instanceof InvalidTexturesError)) throw error;
    return { problem: error.message, isCut: error.isCut };
  }
}

function problem({ problem: message, isCut }: Unreadable): SourceContent {
  const hint = isCut
    ? 'Copy the whole value; a signature follows it after a space.'
    : 'A value is the base64 of {"textures":{"SKIN":{"url":"…"}}}.';
  return { kind: 'problem', problem: { code: 'invalid_skin_data', message, hint } };
}

/** What the data claims about itself, as far as it is plausible. */
function checked({ uuid, name, visibility }: Omit<SkinInJson, 'value'>): Omit<GivenSkin, 'value'> {
  const seen = visibilitySchema.safeParse(visibility).data;
  const skinName = name === undefined ? undefined : skinNameFrom(name);
  return {
    ...(uuid !== undefined && isUuid(uuid) && { uuid: bareUuid(uuid) }),
    ...(skinName !== undefined && { name: skinName }),
    ...(seen && { visibility: seen }),
  };
}

function stemOf(source: string | undefined, name: string | undefined, texture: string): string {
  const isPath = source !== undefined && source !== '-' && !NO_PATH.test(source);
  return (isPath ? mirroredStem(source) : '') || (name && skinNameFrom(name)) || texture;
}
