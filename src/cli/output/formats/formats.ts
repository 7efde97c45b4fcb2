import type { ResultView } from '../views.ts';
import type { FormatName } from './names.ts';

/** A finished skin as one of the formats has it: a text, or a value to be written as JSON. */
export type Formatted = string | Readonly<Record<string, unknown>>;

type Finished = ResultView & Required<Pick<ResultView, 'value' | 'signature'>>;
type Format = (skin: Finished) => Formatted;

export const FORMATS = {
  json: (skin) => ({ ...skin }),
  value: (skin) => skin.value,
  signature: (skin) => skin.signature,
  /** The game profile's textures property. */
  property: ({ value, signature }) => ({ name: 'textures', value, signature }),
} satisfies Record<FormatName, Format>;

export function isFinished(result: ResultView): result is Finished {
  return result.value !== undefined && result.signature !== undefined;
}
