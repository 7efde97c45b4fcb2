/** Bytes of the largest picture that the service takes. */
const MAX_BYTES = 20_000;
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Bytes from the start of a PNG to its width, and to the end of its height. */
const WIDTH_AT = 16;
const SIZE_END = 24;

/** What is wrong with a picture and how to mend it; undefined if nothing is, as far as its first bytes tell. */
export function problemOf(bytes: Uint8Array): string | undefined {
  if (!PNG.every((byte, index) => bytes[index] === byte) || bytes.length < SIZE_END) {
    return 'This is not a PNG. Save the skin as PNG in your editor.';
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [view.getUint32(WIDTH_AT), view.getUint32(WIDTH_AT + 4)];
  const isSkin = width === 64 && (height === 64 || height === 32);
  if (!isSkin)
    return `This picture is ${width}×${height} pixels. Skins are 64×64, or 64×32 in the old format.`;
  if (bytes.length <= MAX_BYTES) return undefined;
  const size = bytes.length.toLocaleString('en');
  return `This file has ${size} bytes; 20,000 are the most. Save it without metadata, or with stronger compression.`;
}
