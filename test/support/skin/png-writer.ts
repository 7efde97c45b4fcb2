import { crc32, deflateSync } from 'node:zlib';

/** A PNG to write: the tests' own encoder, independent of src/skin, for every legal and many illegal files. */
export interface PngPlan {
  width: number;
  height: number;
  bitDepth: number;
  colourType: number;
  interlaced?: boolean;
  /** Samples of the pixel at (x, y): as many as the colour type has channels. */
  samplesAt: (x: number, y: number) => readonly number[];
  /** Filter type (0 to 4) of the n-th row written. */
  filterOf?: (row: number) => number;
  palette?: Uint8Array;
  transparency?: Uint8Array;
}

export const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

export function chunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

export function headerChunk(fields: {
  width?: number;
  height?: number;
  bitDepth?: number;
  colourType?: number;
  compression?: number;
  filter?: number;
  interlace?: number;
}): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(fields.width ?? 64, 0);
  data.writeUInt32BE(fields.height ?? 64, 4);
  data[8] = fields.bitDepth ?? 8;
  data[9] = fields.colourType ?? 6;
  data[10] = fields.compression ?? 0;
  data[11] = fields.filter ?? 0;
  data[12] = fields.interlace ?? 0;
  return chunk('IHDR', data);
}

export function writePng(plan: PngPlan): Buffer {
  return Buffer.concat([
    SIGNATURE,
    headerChunk({ ...plan, interlace: plan.interlaced ? 1 : 0 }),
    ...(plan.palette ? [chunk('PLTE', plan.palette)] : []),
    ...(plan.transparency ? [chunk('tRNS', plan.transparency)] : []),
    chunk('IDAT', deflateSync(filteredRows(plan))),
    chunk('IEND'),
  ]);
}

/** The picture as filtered rows, in Adam7 order if interlaced: what is compressed into IDAT. */
export function filteredRows(plan: PngPlan): Buffer {
  const filterOf = plan.filterOf ?? (() => 0);
  let written = 0;
  const rows = passesOf(plan).flatMap((pass) => {
    let above: Buffer | undefined;
    return pass.map((pixels) => {
      const row = packRow(
        pixels.flatMap(([x, y]) => plan.samplesAt(x, y)),
        plan.bitDepth,
      );
      const filtered = filterRow(row, above ?? Buffer.alloc(row.length), filterOf(written++), stepOf(plan));
      above = row;
      return filtered;
    });
  });
  return Buffer.concat(rows);
}

/** Which of the seven passes each pixel of an 8×8 tile belongs to: the figure in the specification. */
const tile = ['16462646', '77777777', '56565656', '77777777', '36463646', '77777777', '56565656', '77777777'];

type Position = [x: number, y: number];

/** For each pass its rows, for each row the positions of its pixels. */
function passesOf({ width, height, interlaced }: PngPlan): Position[][][] {
  const isIn = (pass: number, x: number, y: number) => !interlaced || tile[y % 8]![x % 8] === `${pass}`;
  return (interlaced ? [1, 2, 3, 4, 5, 6, 7] : [1]).map((pass) => {
    const rows = Array.from({ length: height }, (_, y) =>
      Array.from({ length: width }, (_, x): Position => [x, y]).filter(([x]) => isIn(pass, x, y)),
    );
    return rows.filter((row) => row.length > 0);
  });
}

function packRow(samples: readonly number[], bitDepth: number): Buffer {
  const bits = samples.map((sample) => sample.toString(2).padStart(bitDepth, '0')).join('');
  const bytes = bits.match(/.{1,8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)));
}

function stepOf({ colourType, bitDepth }: PngPlan): number {
  const channels = [1, 0, 3, 1, 2, 0, 4][colourType]!;
  return Math.max(1, (channels * bitDepth) / 8);
}

function filterRow(row: Buffer, above: Buffer, filter: number, step: number): Buffer {
  const out = Buffer.alloc(row.length + 1, filter);
  for (const [at, value] of row.entries()) {
    const a = row[at - step] ?? 0;
    const b = above[at] ?? 0;
    const c = above[at - step] ?? 0;
    const guess = [0, a, b, Math.floor((a + b) / 2), nearest(a + b - c, [a, b, c])][filter] ?? 0;
    out[at + 1] = (value - guess) & 255;
  }
  return out;
}

function nearest(target: number, candidates: readonly number[]): number {
  return candidates.reduce((best, next) => (Math.abs(next - target) < Math.abs(best - target) ? next : best));
}

/** A legal 64×64 RGBA plan with a soft pattern, for tests that only need some good file. */
export function plainPlan(changes: Partial<PngPlan> = {}): PngPlan {
  return {
    width: 64,
    height: 64,
    bitDepth: 8,
    colourType: 6,
    samplesAt: (x, y) => [x * 3, y * 3, 90, 255],
    ...changes,
  };
}
