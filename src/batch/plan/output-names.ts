import { hash } from 'node:crypto';
import { NumberSet } from '../../base/number-set.ts';

const MAX_UNITS = 80;
const MAX_BYTES = 200;
const MAX_DEPTH = 32;
/** Hexadecimal digits of the identity that distinguish two equal stems; more if that is taken too. */
const MARK_LENGTHS = [6, 10, 16];
const SERIAL_MARK_LENGTH = 16;

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

/** Names of a batch's output files: safe for every file system, unique in the batch. Remembers a number per name. */
export class OutputNames {
  readonly #taken = new NumberSet();
  #serial = 0;

  /**
   * The path below the output folder for a source's output, `/` between segments, no extension.
   * A stem already taken gets a suffix from `identity`; the same calls give the same names.
   */
  take(stem: string, identity: string): string {
    if (isPlain(stem) && this.#claim(stem)) return stem; // most names
    const segments = safeSegments(stem);
    const last = segments.pop()!;
    const marks = this.#marks(identity);
    let path = [...segments, last].join('/');
    while (!this.#claim(path)) path = [...segments, marked(last, marks.next().value)].join('/');
    return path;
  }

  *#marks(identity: string): Generator<string, never> {
    const digest = hash('sha256', identity);
    for (const length of MARK_LENGTHS) yield digest.slice(0, length);
    // The very same source again: only its position distinguishes it.
    for (;;) yield hash('sha256', `${identity}\0${this.#serial++}`).slice(0, SERIAL_MARK_LENGTH);
  }

  #claim(path: string): boolean {
    return this.#taken.add(numberFor(folded(path)));
  }
}

/** Equal for names that some file system treats as the same. */
function folded(path: string): string {
  return ASCII.test(path) ? path.toUpperCase() : path.toLowerCase().toUpperCase().normalize('NFKC');
}

/**
 * 53 bits, all that a JavaScript number holds, by the well-known hash `cyrb53`: a tenth of the time of SHA-256 for a
 * short name. A collision only costs a needless suffix.
 */
function numberFor(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  const low = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  const high = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
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
  // With a dash at its start a name is an option to other programs.
  return RESERVED.test(folded(cut)) || cut.startsWith('-') ? tidied(`_${cut}`, MAX_UNITS) : cut;
}

function marked(segment: string, mark: string): string {
  return `${tidied(segment, MAX_UNITS - mark.length - 1)}-${mark}`;
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
