import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { bounded, EXPORT_COPIES } from '../../../../src/cli/commands/exports.ts';
import { zipArchive } from '../../../../src/server/http/downloads.ts';
import type { SkinExport } from '../../../../src/server/service/skins/export.ts';

type Format = keyof typeof EXPORT_COPIES;

/** A whole zip of this many skins, as the service writes it. `next`: where the next part begins. */
async function zipOf(count: number, next?: string): Promise<Buffer> {
  async function* skins(): SkinExport['skins'] {
    for (let n = 0; n < count; n++)
      yield { line: { source: `skins/${n}.png`, options: {} } as never, png: Buffer.from(`${n}`), time: 0 };
    return next;
  }
  return await buffer(zipArchive(skins(), { partAfter: (after) => `http://x/?after=${after}` }));
}

const lineOf = (uuid: string) => `${JSON.stringify({ source: 'a.png', uuid })}\n`;

/** Copies an export that comes in these parts, each in pieces of some bytes. */
async function copyOf(
  format: Format,
  parts: readonly (Buffer | string)[],
  { after, piece = 7 }: CopyOptions = {},
) {
  const asked: (string | undefined)[] = [];
  const taken: Uint8Array[] = [];
  async function* download(place: string | undefined) {
    const part = Buffer.from(parts[asked.length] ?? '');
    asked.push(place);
    for (let at = 0; at < part.length; at += piece) yield part.subarray(at, at + piece);
  }
  const exported = await EXPORT_COPIES[format](download, after, (bytes) => void taken.push(bytes));
  return { ...exported, asked, bytes: Buffer.concat(taken) };
}

interface CopyOptions {
  readonly after?: string;
  readonly piece?: number;
}

describe('A zip', () => {
  test.each([0, 1, 3])('is copied as it is, and its %i skins are counted', async (count) => {
    const zip = await zipOf(count);
    for (const piece of [7, 100_000])
      expect(await copyOf('zip', [zip], { after: '4', piece })).toEqual({
        skins: count,
        next: undefined,
        asked: ['4'],
        bytes: zip,
      });
  });

  test('says where the next zip begins', async () => {
    expect(await copyOf('zip', [await zipOf(2, '17')])).toMatchObject({
      skins: 2,
      next: '17',
      asked: [undefined],
    });
  });

  test('with missing bytes is refused', async () => {
    const zip = await zipOf(2, '17');
    const without = (from: number, to: number) => Buffer.concat([zip.subarray(0, from), zip.subarray(to)]);
    const broken = [without(0, zip.length), without(0, 1), without(40, 90)];
    for (const left of [1, 20, 60, 100]) broken.push(without(zip.length - left, zip.length));
    broken.push(Buffer.concat([zip, Buffer.from('x')]));
    for (const bytes of broken)
      await expect(copyOf('zip', [bytes])).rejects.toMatchObject({
        code: 'export_cut_off',
        exit: 'tryLater',
      });
  });
});

describe('A lockfile', () => {
  test('is fetched part by part until one is empty', async () => {
    const parts = [lineOf('a') + lineOf('b'), lineOf('c')];
    expect(await copyOf('lock', parts, { after: '4' })).toMatchObject({
      skins: 3,
      next: undefined,
      asked: ['4', 'b', 'c'],
      bytes: Buffer.from(parts.join('')),
    });
  });

  test('of no skins is empty', async () => {
    expect(await copyOf('lock', [])).toMatchObject({ skins: 0, bytes: Buffer.alloc(0) });
  });

  test('whose last line is incomplete is refused', async () => {
    const parts = [lineOf('a') + lineOf('b').trimEnd()];
    await expect(copyOf('lock', parts)).rejects.toMatchObject({ code: 'export_cut_off', exit: 'tryLater' });
  });

  test.each([
    ['lines that are no JSON', 'hello\n'],
    ['lines without a UUID', '{"uuid":1}\n'],
    ['null', 'null\n'],
    ['the same skins again', lineOf('a')],
    ['a line without an end', 'x'.repeat(300_000)],
  ])('is refused when it has %s', async (_, text) => {
    await expect(copyOf('lock', [text, text], { piece: 10_000 })).rejects.toMatchObject({
      code: 'unreadable_export',
      exit: 'failed',
    });
  });
});

test.each(['zip', 'lock'] as const)(
  'An export without end (%s) is given up before it fills the disk',
  async (format) => {
    let taken = 0;
    async function* endless() {
      for (let n = 0; ; n++) yield Buffer.from(lineOf(n.toString(16).padStart(32, '0')));
    }
    const sink = bounded((bytes) => {
      taken += bytes.length;
    }, 1024 ** 2);
    await expect(EXPORT_COPIES[format](endless, undefined, sink)).rejects.toMatchObject({
      code: 'unreadable_export',
      message: 'The service sent an export of more than 1 MiB.',
    });
    expect(taken).toBeLessThanOrEqual(1024 ** 2);
  },
);
