/** Git's conflict markers, by what comes before each. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  '': ['<<<<<<<'],
  '<<<<<<<': ['|||||||', '======='],
  '|||||||': ['======='],
  '=======': ['>>>>>>>'],
  '>>>>>>>': ['<<<<<<<'],
};
const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})/;

/**
 * Reads a file that a merge has left with conflict markers: the lines of both sides count, those of their common ancestor
 * (`merge.conflictStyle` diff3) do not.
 */
export class MergeSides {
  #last = '';

  /** Whether there was a marker. */
  get isMerged(): boolean {
    return this.#last !== '';
  }

  /** Whether no conflict is open, so that every side was whole. */
  get isWhole(): boolean {
    return this.#last === '' || this.#last === '>>>>>>>';
  }

  /** Whether a line is to be read. Undefined: it is a marker where none can be. */
  has(line: string): boolean | undefined {
    const [marker] = MARKER.exec(line) ?? [];
    if (marker === undefined) return this.#last !== '|||||||';
    if (!NEXT[this.#last]?.includes(marker)) return undefined;
    this.#last = marker;
    return false;
  }
}
