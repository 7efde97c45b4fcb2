import fc from 'fast-check';
import { capePng } from '../server/drawn-capes.ts';
import { skinPng } from '../server/drawn-skins.ts';
import { type Known, type Schema, valueFor } from './from-schema.ts';
import { anyText, brokenJson } from './junk.ts';

export interface SentBody {
  /** Absent: names none. */
  readonly type?: string;
  readonly bytes: Buffer;
}

type Contents = Readonly<Record<string, { readonly schema?: Schema }>>;

const NOTHING: SentBody = { bytes: Buffer.alloc(0) };
const SKINS = [0, 1, 2, 3, 4, 5].map((n) => skinPng(n));

const file: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...SKINS) },
  fc.constantFrom(
    capePng(1),
    Buffer.alloc(0),
    Buffer.from('no picture'),
    SKINS[0]!.subarray(0, 60),
    Buffer.concat([SKINS[0]!, Buffer.alloc(30_000)]),
    Buffer.alloc(300_000),
  ),
  // One byte of it is another.
  fc.tuple(fc.nat(200), fc.nat(255)).map(([at, value]) => Buffer.from(SKINS[1]!).fill(value, at, at + 1)),
);

/** Bodies for an operation: mostly as it is described, else of another kind, broken, or with the wrong name. */
export function bodyFor(contents: Contents | undefined, known: Known): fc.Arbitrary<SentBody> {
  const good = Object.entries(contents ?? {}).map(([type, { schema }]) => encoded(type, schema ?? {}, known));
  return fc.oneof(
    ...good.map((arbitrary) => ({ weight: 10, arbitrary })),
    { weight: contents ? 1 : 6, arbitrary: fc.constant(NOTHING) },
    {
      weight: 1,
      arbitrary: brokenJson.map((text) => ({ type: 'application/json', bytes: Buffer.from(text) })),
    },
    { weight: 1, arbitrary: brokenForm },
    { weight: 1, arbitrary: misnamed },
  );
}

function encoded(type: string, schema: Schema, known: Known): fc.Arbitrary<SentBody> {
  const value = valueFor(schema, known);
  switch (type) {
    case 'multipart/form-data':
      return fc.tuple(value, file).map(([fields, bytes]) => multipart(fields, bytes));
    case 'application/x-www-form-urlencoded':
      return value.map((fields) => ({
        type,
        bytes: Buffer.from(new URLSearchParams(texts(fields)).toString()),
      }));
    default:
      return value.map((one) => ({ type, bytes: Buffer.from(JSON.stringify(one) ?? '') }));
  }
}

function texts(fields: unknown): [string, string][] {
  if (typeof fields !== 'object' || fields === null) return [['x', String(fields)]];
  return Object.entries(fields).map(([name, value]) => [
    name.toWellFormed(),
    typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value),
  ]);
}

const BOUNDARY = '----fuzz';

/** A field `file` becomes the file. */
function multipart(fields: unknown, bytes: Buffer): SentBody {
  const parts = texts(fields).map(([name, value]) =>
    name === 'file'
      ? part('name="file"; filename="a.png"', bytes)
      : part(`name="${name.replaceAll(/["\r\n]/g, '_')}"`, Buffer.from(value)),
  );
  return closed(parts);
}

function part(disposition: string, bytes: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
}

function closed(parts: readonly Buffer[]): SentBody {
  const bytes = Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, bytes };
}

const odd = part('name="file"; filename="../../x.png"', SKINS[2]!);
const whole = closed([odd]);
const FORMS: readonly SentBody[] = [
  whole,
  closed([]),
  closed([odd, odd]),
  closed([part('name="file"', SKINS[0]!)]),
  closed([part('name="other"; filename="a"', SKINS[0]!)]),
  closed([part('', SKINS[0]!)]),
  closed(Array.from({ length: 40 }, (_, n) => part(`name="f${n}"`, Buffer.from('x')))),
  closed([part('name="__proto__"', Buffer.from('x'))]),
  closed([part(`name="${'n'.repeat(2_000)}"`, Buffer.from('x'))]),
  closed([part('name="name"', Buffer.alloc(40_000, 97))]),
  { type: 'multipart/form-data', bytes: whole.bytes },
  { type: 'multipart/form-data; boundary=', bytes: whole.bytes },
  { type: `multipart/form-data; boundary=${'b'.repeat(300)}`, bytes: whole.bytes },
  { type: 'multipart/form-data; boundary=other', bytes: whole.bytes },
  { type: 'multipart/mixed; boundary=----fuzz', bytes: whole.bytes },
  { ...whole, bytes: Buffer.alloc(0) },
  { ...whole, bytes: Buffer.from(`--${BOUNDARY}`) },
];

const brokenForm: fc.Arbitrary<SentBody> = fc.oneof(
  fc.constantFrom(...FORMS),
  fc.nat(whole.bytes.length).map((end) => ({ ...whole, bytes: whole.bytes.subarray(0, end) })),
);

/** Their contents are not what their names say. */
const misnamed: fc.Arbitrary<SentBody> = fc
  .tuple(
    fc.constantFrom(
      'text/plain',
      'image/png',
      'application/xml',
      'application/json; charset=utf-16',
      'APPLICATION/JSON',
      'application/x-www-form-urlencoded',
      'application/json, text/html',
      'x',
      '',
    ),
    fc.oneof(anyText, fc.constant('{}'), fc.constant('a=1&a=2&__proto__=x&%ff=%zz')),
  )
  .map(([type, text]) => ({ type, bytes: Buffer.from(text) }));
