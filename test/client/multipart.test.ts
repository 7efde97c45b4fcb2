import { describe, expect, test } from 'vitest';
import { encodeMultipart, type Upload } from '../../src/client/multipart.ts';

const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);

/** Reads a body back with a parser that is not ours. */
async function readBack(
  fields: Readonly<Record<string, string>>,
  upload: Partial<Upload> = {},
): Promise<FormData> {
  const { body, contentType } = encodeMultipart({ bytes: everyByte, fileName: 'a.png', ...upload }, fields);
  return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
}

describe('encodeMultipart', () => {
  test('sends the fields and the file as a form has them', async () => {
    const form = await readBack({ name: 'My Skin', variant: 'slim' });
    expect([...form.keys()]).toEqual(['name', 'variant', 'file']);
    expect(form.get('name')).toBe('My Skin');
    expect(form.get('variant')).toBe('slim');
    expect(form.get('file')).toMatchObject({ name: 'a.png', type: 'image/png' });
  });

  const contents: [what: string, bytes: Uint8Array][] = [
    ['every byte there is', everyByte],
    ['nothing', new Uint8Array()],
    ['what looks like the end of a part', Buffer.from('\r\n--skinsmith-\r\n\r\n--')],
    ['a part of a larger buffer', everyByte.subarray(13, 77)],
  ];
  test.each(contents)('keeps a file of %s as it is', async (_, bytes) => {
    const file = (await readBack({}, { bytes })).get('file') as File;
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(new Uint8Array(bytes));
  });

  test.each(['skin.png', 'two words.png', 'a"b".png', 'Zoë 🙂.png', "it's;name=x.png", '100%.png', ''])(
    'keeps the file name %j',
    async (fileName) => {
      const form = await readBack({}, { fileName });
      const file = form.get('file') as File;
      expect(file.name.replaceAll('%22', '"')).toBe(fileName);
      expect([...form.keys()]).toEqual(['file']);
    },
  );

  test.each(['a\r\nContent-Type: text/html\r\n\r\nx.png', 'a\nb.png', 'a\rb.png', 'a"; name="user'])(
    'lets the file name %j smuggle nothing into the body',
    (fileName) => {
      const { body } = encodeMultipart({ bytes: new Uint8Array(), fileName }, {});
      const [, disposition, type] = body.toString('utf8').split(/\r\n|\r|\n/);
      expect(disposition).toMatch(/^Content-Disposition: form-data; name="file"; filename="[^"]*"$/);
      expect(type).toBe('Content-Type: image/png');
    },
  );

  test('keeps line breaks and other alphabets in a field', async () => {
    expect((await readBack({ name: 'Zoë\r\n🙂' })).get('name')).toBe('Zoë\r\n🙂');
  });

  test('takes a new boundary for each body', () => {
    const file = { bytes: everyByte, fileName: 'a.png' };
    expect(encodeMultipart(file, {}).contentType).not.toBe(encodeMultipart(file, {}).contentType);
  });
});
