import { dirname } from 'node:path';
import { Replacement } from '../../base/atomic-file.ts';
import { type CachedCode, type CompiledFile, decodeCode, encodeCode } from './cache-format.ts';
import { isPrivateFolder, readPrivateFile } from './private-files.ts';

/** Each run calls functions that earlier ones did not; after so many there are few new ones. */
const ENOUGH_SAVES = 3;

/**
 * What V8 has compiled of the program's files, kept from run to run. It is worth only time: whatever is wrong with it,
 * the program starts without it. V8 believes what it is given, so nothing damaged or of another user's may get there.
 */
export class CodeCache {
  readonly #path: string;
  readonly #saves: number;
  readonly #files: ReadonlyMap<string, CompiledFile>;
  #misses = 0;

  private constructor(path: string, { saves, files }: CachedCode) {
    this.#path = path;
    this.#saves = saves;
    this.#files = new Map(files.map((file) => [file.name, file]));
  }

  /** Empty when there is none that can be used. */
  static read(path: string): CodeCache {
    const bytes = readPrivateFile(path);
    return new CodeCache(path, (bytes && decodeCode(bytes)) ?? { saves: 0, files: [] });
  }

  /** `undefined` for a file that is not known with this text. */
  dataFor(name: string, checksum: number): Uint8Array | undefined {
    const file = this.#files.get(name);
    return file?.checksum === checksum ? file.data : undefined;
  }

  /** Tells it that a file had to be compiled, because it was not known or V8 refused what was. */
  miss(): void {
    this.#misses++;
  }

  /** Whether what the run has compiled is next to nothing. */
  get isComplete(): boolean {
    return this.#misses === 0 && this.#saves >= ENOUGH_SAVES;
  }

  /**
   * Adds what the run has compiled, unless that is next to nothing. Of two processes that do so at once, the work of one
   * is kept.
   * @param compiled asked for only when there is a place to write to
   * @param exists whether a file is still one of the program's
   */
  save(compiled: Iterable<CompiledFile>, exists: (name: string) => boolean): void {
    if (this.isComplete || !isPrivateFolder(dirname(this.#path))) return;
    let file: Replacement | undefined;
    try {
      file = new Replacement(this.#path, 0o600);
      const files = this.#with(compiled).filter(({ name }) => exists(name));
      file.write(encodeCode({ saves: this.#saves + 1, files }));
      file.close(false);
      file.replace(false);
    } catch {
      file?.discard(); // no permission, no room: the next run takes as long as this one
    }
  }

  #with(compiled: Iterable<CompiledFile>): CompiledFile[] {
    const files = new Map(this.#files);
    for (const file of compiled) files.set(file.name, file);
    return [...files.values()];
  }
}
