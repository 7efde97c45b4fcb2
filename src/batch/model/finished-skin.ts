import type { Note } from '../../protocol/envelope.ts';
import type { SeenSkin } from '../../protocol/seen-skin.ts';
import type { FinishedSkin } from './types.ts';

/** Converts a skin in the wire format to the form of results. */
export function finishedSkin(skin: SeenSkin): FinishedSkin {
  return {
    uuid: skin.uuid,
    ...(skin.name !== undefined && { name: skin.name }),
    variant: skin.variant,
    visibility: skin.visibility,
    value: skin.texture.data.value,
    signature: skin.texture.data.signature,
    texture: { url: skin.texture.url.skin, hash: skin.texture.hash.skin },
    duplicate: skin.duplicate,
  };
}

/** Both lists with each code once, since client and service check the same picture. */
export function mergeNotes(ours: readonly Note[], theirs: readonly Note[]): Note[] {
  const codes = new Set(ours.map((note) => note.code));
  const all = [...ours, ...theirs.filter((note) => !codes.has(note.code))];
  return all.map(({ code, message }) => ({ code, message }));
}
