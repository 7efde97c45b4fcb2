import { DATA_URL_PREFIX, MAX_DATA_URL_LENGTH, MAX_URL_LENGTH } from '../../protocol/generate.ts';
import { uuidSchema } from '../../protocol/skin.ts';
import { Refusal } from '../service/refusal.ts';

/** Where the picture of a request comes from. */
export type Source =
  | { readonly kind: 'upload'; readonly bytes: Uint8Array }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'user'; readonly user: string };

type Reader<K extends Source['kind']> = (source: Extract<Source, { kind: K }>) => Uint8Array;

/** How each kind of source becomes the bytes of a PNG. @throws Refusal */
const READERS = {
  upload: (source) => source.bytes,
  url: readUrl,
  user: readPlayer,
} satisfies { [K in Source['kind']]: Reader<K> };

export function readSource(source: Source): Uint8Array {
  switch (source.kind) {
    case 'upload':
      return READERS.upload(source);
    case 'url':
      return READERS.url(source);
    case 'user':
      return READERS.user(source);
  }
}

function readUrl({ url }: { url: string }): Uint8Array {
  if (/^data:/i.test(url)) return readDataUrl(url);
  if (url.length > MAX_URL_LENGTH) {
    throw new Refusal('invalid_image_url', `The URL is longer than ${MAX_URL_LENGTH} characters.`);
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Refusal(
      'invalid_image_url',
      'The URL must start with http:, https: or data:image/png;base64,.',
    );
  }
  throw new Refusal(
    'invalid_image_url',
    'This service does not fetch pictures from URLs: download the picture and send the file.',
  );
}

function readDataUrl(url: string): Uint8Array {
  if (url.length > MAX_DATA_URL_LENGTH) {
    throw new Refusal('invalid_image_url', `The data URL is longer than ${MAX_DATA_URL_LENGTH} characters.`);
  }
  if (url.slice(0, DATA_URL_PREFIX.length).toLowerCase() !== DATA_URL_PREFIX) {
    throw new Refusal('invalid_image_url', `A data URL must start with ${DATA_URL_PREFIX}.`);
  }
  const base64 = url.slice(DATA_URL_PREFIX.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 === 1) {
    throw new Refusal('invalid_image_url', 'What follows the comma of the data URL is not base64.');
  }
  return Buffer.from(base64, 'base64');
}

function readPlayer({ user }: { user: string }): Uint8Array {
  if (!uuidSchema.safeParse(user).success) {
    throw new Refusal(
      'invalid_user',
      'A player is named by a UUID: 32 hexadecimal digits, or 36 with dashes.',
    );
  }
  throw new Refusal(
    'invalid_user',
    "This service does not look up players: save the player's skin as a file and send that.",
  );
}
