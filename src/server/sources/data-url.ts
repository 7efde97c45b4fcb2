import { DATA_URL_PREFIX, MAX_DATA_URL_LENGTH } from '../../protocol/generate.ts';
import { Refusal } from '../service/refusal.ts';

/** The bytes in a `data:` URL. @throws Refusal `invalid_image_url` */
export function readDataUrl(url: string): Uint8Array {
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
