import { jsonDocument } from '../../text/json.ts';
import { clean } from '../../text/text.ts';
import { FORMATS, type Format } from './formats.ts';
import type { FormatName } from './names.ts';
import type { SkinData } from './skin-data.ts';

/** An output file. */
export interface RenderedFile {
  /** Path relative to the output folder, with `/` between segments. */
  readonly path: string;
  /** The whole text, including the final line break. */
  readonly text: string;
}

/**
 * Renders a skin as a separate file. `stem` is its path relative to the output folder, with `/` between segments and no
 * extension. Formats identified by file name put the last segment in lower case, so their stems must differ in more
 * than case.
 * @throws CliError for a command, when the skin data is not base64
 */
export function renderFile(name: FormatName, skin: SkinData, stem: string): RenderedFile {
  const format: Format = FORMATS[name];
  const { folder, last } = splitStem(stem);
  if (!format.isNamedByFile) return { path: stem + format.extension, text: render(format, skin) };
  const fileName = last.toLowerCase();
  return {
    path: folder + fileName + format.extension,
    text: render(format, { ...skin, name: fileName }),
  };
}

/** Returns the path of a skin's file without rendering it. */
export function filePath(name: FormatName, stem: string): string {
  const format: Format = FORMATS[name];
  if (!format.isNamedByFile) return stem + format.extension;
  const { folder, last } = splitStem(stem);
  return folder + last.toLowerCase() + format.extension;
}

function splitStem(stem: string): { folder: string; last: string } {
  const at = stem.lastIndexOf('/') + 1;
  return { folder: stem.slice(0, at), last: stem.slice(at) };
}

function render(format: Format, skin: SkinData): string {
  const formatted = format.render(skin);
  return typeof formatted === 'string' ? `${clean(formatted)}\n` : jsonDocument(formatted);
}
