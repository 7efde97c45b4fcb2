import { lineOf } from '../../../protocol/lock-line.ts';
import type { SkinExport } from '../../service/skins/export.ts';
import { ZipWriter } from './zip.ts';

export interface ExportOptions {
  /** The address of the next part, which begins after the last skin of this one. */
  readonly partAfter: (after: string) => string;
}

/** skins.lock alone: a line for each skin. */
export async function* lockLines(skins: SkinExport['skins']): AsyncGenerator<Uint8Array, void, void> {
  for await (const { line } of skins) yield Buffer.from(`${lineOf(line)}\n`);
}

/**
 * The pictures, and the skins.lock that belongs to them. If there are more skins, a file tells people where the next
 * part is, and the comment of the archive tells programs, which need only its last bytes.
 */
export async function* zipArchive(
  skins: SkinExport['skins'],
  { partAfter }: ExportOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const zip = new ZipWriter();
  const lines: string[] = [];
  let newest = 0;
  let next = await skins.next();
  for (; !next.done; next = await skins.next()) {
    const { line, png, time } = next.value;
    lines.push(`${lineOf(line)}\n`);
    newest = Math.max(newest, time);
    yield* zip.file({ name: line.source, bytes: png, time });
  }
  yield* zip.file({ name: 'skins.lock', bytes: Buffer.from(lines.join('')), time: newest, isText: true });
  if (next.value !== undefined) {
    const text = `There are more skins. The next part: ${partAfter(next.value)}\n`;
    yield* zip.file({ name: 'MORE.txt', bytes: Buffer.from(text), time: newest, isText: true });
  }
  yield zip.end(next.value === undefined ? '' : `There are more skins: after=${next.value}`);
}
