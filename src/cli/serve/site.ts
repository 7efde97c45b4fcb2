import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import type { Logo, Site } from '../../server/server.ts';
import { CliError } from '../errors/exit.ts';
import { refuseCredentials } from '../options/option-values.ts';
import { clean } from '../text/text.ts';

/** Command-line options for what the pages say about the service. */
export interface SiteOptions {
  readonly serviceName?: string;
  readonly logo?: string;
  readonly notice?: string;
  readonly contact?: string;
  readonly termsUrl?: string;
  readonly privacyUrl?: string;
}

/** A line of text with at most this many characters. */
export function shortLine(longest: number): (text: string) => string {
  return (text) => {
    const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
    if (line !== '' && line.length <= longest) return line;
    throw new InvalidArgumentError(`It must have 1 to ${longest} characters.`);
  };
}

/** The address of a page: on any server, or a path on this one. */
export function pageAddress(text: string): string {
  if (/^\/(?![/\\])\S*$/.test(text)) return text;
  refuseCredentials(text);
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw new InvalidArgumentError(
    'It must be an address like https://example.org/terms, or a path like /terms.',
  );
}

/** An email address, or the address of a page. */
export function contact(text: string): string {
  return /^[^\s@:/]+@[^\s@:/]+$/.test(text) ? `mailto:${encodeURI(text)}` : pageAddress(text);
}

/** What the pages say about the service. @throws CliError for a logo that cannot be read */
export async function chooseSite(typed: SiteOptions): Promise<Partial<Site>> {
  const { serviceName: name, logo, notice, contact, termsUrl: terms, privacyUrl: privacy } = typed;
  return {
    ...(name !== undefined && { name }),
    ...(logo !== undefined && { logo: await readLogo(logo) }),
    ...{ notice, contact, terms, privacy },
  };
}

const MAX_LOGO_BYTES = 256 * 1024;

/** The media type of a picture by how its file begins. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n/, 'image/png'],
  [/^RIFF[\s\S]{4}WEBP/, 'image/webp'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^(?:\xef\xbb\xbf)?\s*<[\s\S]*?svg[\s>]/, 'image/svg+xml'],
];

async function readLogo(path: string): Promise<Logo> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_LOGO_BYTES) throw new Error('it is larger than 256 KiB');
    const start = bytes.subarray(0, 4_096).toString('latin1');
    const [, type] = BEGINNINGS.find(([beginning]) => beginning.test(start)) ?? [];
    if (type === undefined) throw new Error('it is not a PNG, WebP, JPEG or SVG picture');
    return { type, bytes };
  } catch (error) {
    const reason = (error as Error).message.split('\n', 1)[0] ?? '';
    throw new CliError('invalid_setting', `The logo ${clean(path)} cannot be used: ${clean(reason)}.`, {
      exit: 'usage',
      hint: 'Give a picture with --logo FILE.',
      cause: error,
    });
  }
}
