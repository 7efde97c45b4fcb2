import { isSkinSize, type Picture } from './picture.ts';
import { eachPixel, type Rect, UNUSED_IN_SLIM, type Variant } from './regions.ts';

/** The detected variant, the confidence, and the reason as a clause after "because …". */
export interface DetectedVariant {
  variant: Variant;
  confidence: 'certain' | 'likely' | 'guess';
  reason: string;
}

/** The variant to use, the detected one, and a warning if the two disagree. */
interface ChosenVariant {
  variant: Variant;
  detected: DetectedVariant;
  warning?: string;
}

/** An explicit variant; anything else leaves the choice to the picture. */
type WantedVariant = Variant | 'unknown' | 'auto';

/**
 * The meaning of one of the four rectangles that slim arms leave unused:
 * `empty` and `filled` (one colour, which the arm beside it does not have) speak for slim; `painted` (a drawing)
 * and `plain` (the same one colour as the arm beside it) for classic; `silent` is neutral.
 */
type Evidence = 'empty' | 'filled' | 'painted' | 'plain' | 'silent';

/**
 * Tells classic from slim by the four rectangles that only classic arms use: (50,16,2,4) and (42,48,2,4) on the
 * bottom of the arms, (54,20,2,12) and (46,52,2,12) on their back. Each is compared with the two columns left
 * of it, which belong to the same face in both variants:
 *
 * - those columns hardly painted: no arm was drawn there, so the rectangle says nothing;
 * - rectangle empty, or one flat colour that the columns beside it do not have: unused, so slim;
 * - drawn on, or flat in the very colour beside it: part of the arm, so classic; but flat black or white
 *   beside the same black or white says nothing, because these two are also what tools fill unused areas with.
 *
 * One pixel in eight may differ: a stray pixel decides nothing. The pixels of the rectangles that speak for a
 * variant are its votes; a tie or silence is classic. Any alpha above 0 counts as painted, so see-through
 * characters are not slim. 64×32 files are always classic.
 *
 * The service's own rule (slim if (54,20,2,12) has no opaque pixel) misses filled areas and accepts drawings
 * without arms; skinview-utils' rule (slim at any pixel that is not opaque) flips at one stray pixel.
 */
export function detectVariant(picture: Picture): DetectedVariant {
  if (picture.height === 32 && isSkinSize(picture.width, picture.height)) {
    return { variant: 'classic', confidence: 'certain', reason: '64×32 skins have no slim variant' };
  }
  return judge(
    UNUSED_IN_SLIM.map((rect) => ({ evidence: readEvidence(picture, rect), weight: areaOf(rect) })),
  );
}

/**
 * Decides the variant: an explicit one wins, anything else is detected. An explicit one that contradicts the
 * picture gets a warning, unless detection was only a guess.
 */
export function chooseVariant(picture: Picture, wanted?: WantedVariant): ChosenVariant {
  return variantFor(detectVariant(picture), wanted);
}

/** The same for a picture whose variant was detected before. */
export function variantFor(detected: DetectedVariant, wanted?: WantedVariant): ChosenVariant {
  if (wanted === undefined || wanted === 'unknown' || wanted === 'auto') {
    return { variant: detected.variant, detected };
  }
  const warning = variantMismatch(detected, wanted);
  return { variant: wanted, detected, ...(warning !== undefined && { warning }) };
}

/** The warning if a picture does not look like the variant it is used as; none for a guess. */
export function variantMismatch(detected: DetectedVariant, wanted: Variant): string | undefined {
  if (wanted === detected.variant || detected.confidence === 'guess') return undefined;
  return `The skin is used as ${wanted}, but it looks ${detected.variant}: ${detected.reason}.`;
}

interface Vote {
  evidence: Evidence;
  weight: number;
}

function judge(votes: readonly Vote[]): DetectedVariant {
  const slim = sumOf(votes, ['empty', 'filled']);
  const classic = sumOf(votes, ['painted', 'plain']);
  if (slim === classic) {
    const reason =
      slim === 0 ? 'the arms do not tell the variants apart' : 'one arm looks slim and the other classic';
    return { variant: 'classic', confidence: 'guess', reason };
  }
  const variant = slim > classic ? 'slim' : 'classic';
  return { variant, confidence: confidenceOf(votes, slim, classic), reason: reasonFor(variant, votes) };
}

function confidenceOf(votes: readonly Vote[], slim: number, classic: number): DetectedVariant['confidence'] {
  if (votes.every(({ evidence }) => evidence === 'empty')) return 'certain';
  if (votes.every(({ evidence }) => evidence === 'painted')) return 'certain';
  return Math.max(slim, classic) >= 3 * Math.min(slim, classic) ? 'likely' : 'guess';
}

function reasonFor(variant: Variant, votes: readonly Vote[]): string {
  if (variant === 'classic') return 'the arm columns that slim skins do not use are part of the drawing';
  return sumOf(votes, ['empty']) >= sumOf(votes, ['filled'])
    ? 'the arm columns that slim skins do not use are empty'
    : 'the arm columns that slim skins do not use are filled with one colour that the arms do not have';
}

function sumOf(votes: readonly Vote[], kinds: readonly Evidence[]): number {
  return votes.reduce((sum, { evidence, weight }) => (kinds.includes(evidence) ? sum + weight : sum), 0);
}

function readEvidence(picture: Picture, rect: Rect): Evidence {
  const strays = areaOf(rect) / 8;
  const beside = countColours(picture, { ...rect, x: rect.x - rect.width });
  if (beside.painted * 2 < areaOf(rect)) return 'silent';
  const inside = countColours(picture, rect);
  if (inside.painted <= strays) return 'empty';
  const [colour, pixels] = mostCommon(inside.colours);
  if (pixels < areaOf(rect) - strays) return 'painted';
  const shared = beside.colours.get(colour) ?? 0;
  if (shared <= strays) return 'filled';
  if (shared < areaOf(rect) - strays) return 'painted';
  return colour === BLACK || colour === WHITE ? 'silent' : 'plain';
}

const BLACK = 0x000000ff;
const WHITE = 0xffffffff;

/** Counts the pixels of each colour (RGBA as one number) that are not fully transparent. */
function countColours(
  { width, pixels }: Picture,
  rect: Rect,
): { painted: number; colours: Map<number, number> } {
  const view = new DataView(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  const colours = new Map<number, number>();
  let painted = 0;
  eachPixel(rect, width, (at) => {
    if (pixels[at + 3] === 0) return;
    const colour = view.getUint32(at);
    colours.set(colour, (colours.get(colour) ?? 0) + 1);
    painted++;
  });
  return { painted, colours };
}

function mostCommon(colours: ReadonlyMap<number, number>): [colour: number, pixels: number] {
  return [...colours].reduce((best, entry) => (entry[1] > best[1] ? entry : best));
}

function areaOf({ width, height }: Rect): number {
  return width * height;
}
