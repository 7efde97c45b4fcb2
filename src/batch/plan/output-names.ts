const MAX_UNITS = 80;
const MAX_BYTES = 200;
const MAX_DEPTH = 32;
/** The number of the second source with a name. */
const SECOND = 2;

/**
 * Characters that some file system refuses: Windows' reserved characters, control characters, lone surrogates,
 * unassigned ones. Also characters that disguise a name: bidirectional marks, invisible separators.
 */
const UNSAFE = /[<>:"\\|?*]|\p{Cc}|\p{Cs}|\p{Cn}|\p{Bidi_Control}|\p{Zl}|\p{Zp}/gu;
/** Names that most files have: nothing in them needs a change. */
const PLAIN = /^\w[\w-]{0,79}$/;
const ASCII = /^[ -~]*$/;
/** Windows' device names, with any extension, and the lockfile in the same folder; for folded names. */
const RESERVED =
  /^(?:(?:CON|PRN|AUX|NUL|COM\d|LPT\d|CONIN\$|CONOUT\$|CLOCK\$)(?: *\.|$)|SKINS\.LOCK(?:\.|$))/;

/** Names that earlier batches gave, as the lockfile has them. */
export interface EarlierNames {
  /** Each name, and the entry of the source that has it. */
  all(): Iterable<readonly [name: string, entry: number]>;
  /** Whether a source keeps its names from others: it still exists, and is another one than `id`. */
  isKept(entry: number, id: string): boolean;
}

/**
 * Names of a batch's output files: safe for every file system, unique in the batch, and the same as in earlier batches.
 */
export class OutputNames {
  readonly #earlier: EarlierNames | undefined;
  /** Names taken in this batch, folded. */
  readonly #taken = new Set<string>();
  /** The entries that have names from earlier batches, by folded name; read when a name is wanted for the first time. */
  #owners: Map<string, number> | undefined;
  /** The next number to try for a name that several sources want. */
  readonly #numbers = new Map<string, number>();

  constructor(earlier?: EarlierNames) {
    this.#earlier = earlier;
  }

  /**
   * The path below the output folder for a source's output, `/` between segments, no extension: the name that the source
   * `id` has from earlier batches (`own`), else its stem, else that with a number if another source has it.
   */
  take(stem: string, { id = '', own: earlier = [] }: { id?: string; own?: readonly string[] } = {}): string {
    const name = safeName(stem);
    const own = earlier.find((one) => isNameFor(name, one));
    if (own !== undefined && this.#claim(own)) return own;
    if (this.#isFree(name, id) && this.#claim(name)) return name;
    const key = folded(name);
    for (let number = this.#numbers.get(key) ?? SECOND; ; number++) {
      const other = numbered(name, number);
      if (!this.#isFree(other, id) || !this.#claim(other)) continue;
      this.#numbers.set(key, number + 1);
      return other;
    }
  }

  #isFree(name: string, id: string): boolean {
    if (!this.#earlier) return true;
    this.#owners ??= new Map(Iterator.from(this.#earlier.all()).map(([one, entry]) => [folded(one), entry]));
    const owner = this.#owners.get(folded(name));
    return owner === undefined || !this.#earlier.isKept(owner, id);
  }

  #claim(path: string): boolean {
    const key = folded(path);
    if (this.#taken.has(key)) return false;
    this.#taken.add(key);
    return true;
  }
}

/** A stem as a name that every file system takes. */
export function safeName(stem: string): string {
  return isPlain(stem) ? stem : safeSegments(stem).join('/');
}

/** Whether an earlier name is this one, or this one with a number. */
function isNameFor(name: string, earlier: string): boolean {
  const number = /-([1-9]\d{0,8})$/.exec(earlier)?.[1];
  const isSame = (one: string) => folded(one) === folded(earlier);
  return earlier === name || isSame(name) || (number !== undefined && isSame(numbered(name, Number(number))));
}

/** The name with a number at its end. */
function numbered(name: string, number: number): string {
  const at = name.lastIndexOf('/') + 1;
  const mark = `-${number}`;
  return `${name.slice(0, at)}${tidied(name.slice(at), MAX_UNITS - mark.length)}${mark}`;
}

/** Equal for names that some file system treats as the same. */
function folded(path: string): string {
  return ASCII.test(path) ? path.toUpperCase() : path.toLowerCase().toUpperCase().normalize('NFKC');
}

function safeSegments(stem: string): string[] {
  const found = stem.split('/').filter((segment) => segment !== '' && segment !== '.');
  const kept = found.length <= MAX_DEPTH ? found : [...found.slice(0, MAX_DEPTH - 1), found.at(-1)!];
  return kept.length === 0 ? ['_'] : kept.map(safeSegment);
}

function isPlain(segment: string): boolean {
  return PLAIN.test(segment) && !RESERVED.test(segment.toUpperCase());
}

function safeSegment(segment: string): string {
  if (isPlain(segment)) return segment;
  const cut = tidied(segment.normalize('NFC').replaceAll(UNSAFE, '_'), MAX_UNITS);
  // Other programs would read a name with a dash at its start as an option.
  return RESERVED.test(folded(cut)) || cut.startsWith('-') ? tidied(`_${cut}`, MAX_UNITS) : cut;
}

/** Cuts to `units` UTF-16 units and the byte limit of a segment; removes trailing dots and spaces, which Windows drops. */
function tidied(segment: string, units: number): string {
  const start = segment.replace(/^[. ]+/, '');
  const text = cutTo(start, units, MAX_BYTES - (MAX_UNITS - units)).replace(/[. ]+$/, '');
  return text === '' ? '_' : text;
}

function cutTo(text: string, units: number, bytes: number): string {
  let [end, used] = [0, 0];
  for (const character of text) {
    used += Buffer.byteLength(character);
    if (end + character.length > units || used > bytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
