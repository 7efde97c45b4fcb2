const kinds: readonly { kind: string; starts: string; at?: number }[] = [
  { kind: 'a JPEG picture', starts: '\xff\xd8\xff' },
  { kind: 'a GIF picture', starts: 'GIF8' },
  { kind: 'a WebP picture', starts: 'WEBP', at: 8 },
  { kind: 'an AVIF picture', starts: 'ftypavif', at: 4 },
  { kind: 'a HEIC picture', starts: 'ftyphei', at: 4 },
  { kind: 'a BMP picture', starts: 'BM' },
  { kind: 'a Photoshop document', starts: '8BPS' },
  { kind: 'a GIMP document', starts: 'gimp xcf' },
  { kind: 'a ZIP archive', starts: 'PK\x03\x04' },
  { kind: 'a Git LFS pointer instead of the file itself', starts: 'version https://git-lfs' },
  { kind: 'a PNG as base64 text', starts: 'iVBORw0KGgo' },
  { kind: 'a PNG inside a data: URL', starts: 'data:image/png' },
  { kind: 'a PNG damaged by a transfer in text mode', starts: '\x89PNG' },
  { kind: 'a PNG damaged by a conversion to text', starts: '\xef\xbf\xbdPNG' },
];

const textKinds: readonly { kind: string; pattern: RegExp }[] = [
  { kind: 'an SVG drawing', pattern: /^<svg|^<\?xml.*<svg/s },
  { kind: 'a web page (HTML)', pattern: /^<!doctype|^<html|^<head|^<body/ },
  { kind: 'an XML document', pattern: /^<\?xml/ },
  { kind: 'JSON text', pattern: /^[{[]\s*["{[]/ },
];

/** The apparent format of data that is not a PNG, from its first 256 bytes; undefined if unknown. */
export function sniffKind(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 256)).toString('latin1');
  const magic = kinds.find(({ starts, at = 0 }) => start.startsWith(starts, at));
  if (magic !== undefined) return magic.kind;
  const text = start
    .replace('\xef\xbb\xbf', '')
    .replace(/^\s*(?:<!--.*?-->\s*)*/s, '')
    .toLowerCase();
  return textKinds.find(({ pattern }) => pattern.test(text))?.kind;
}
