import { randomBytes } from 'node:crypto';

export interface Upload {
  readonly bytes: Uint8Array;
  readonly fileName: string;
}

/**
 * A multipart/form-data body in one buffer (RFC 7578): at most 20 kB, so it needs no stream and can be
 * sent again unchanged.
 */
export function encodeMultipart(
  file: Upload,
  fields: Readonly<Record<string, string>>,
): { body: Buffer; contentType: string } {
  const boundary = `skinsmith-${randomBytes(16).toString('hex')}`;
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const fileHead =
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escapeFileName(file.fileName)}"\r\n` +
    'Content-Type: image/png\r\n\r\n';
  const body = Buffer.concat([
    Buffer.from(parts.join('') + fileHead),
    file.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}

/** Percent-encodes quotes and line breaks, as browsers do. */
function escapeFileName(name: string): string {
  return name.replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));
}
