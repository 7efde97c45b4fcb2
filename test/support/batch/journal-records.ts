import type { DoneRecord } from '../../../src/batch/journal.ts';

/** The work key of the n-th piece of work. */
export function keyOf(number: number): string {
  return `${number.toString(16).padStart(32, '0')}ap`;
}

/** A result of the n-th piece of work, as long as real ones are, with text that is not ASCII. */
export function recordOf(number: number): Omit<DoneRecord, 's'> {
  return {
    k: keyOf(number),
    j: `job ${number}`,
    skin: {
      uuid: number.toString(16).padStart(32, '0'),
      name: `Zoë 🙂 ${number}`,
      variant: 'slim',
      visibility: 'unlisted',
      value: 'dmFsdWU='.repeat(60),
      signature: 'c2lnbmF0dXJl'.repeat(57),
      texture: { url: `http://textures.example/texture/${number}`, hash: `${number}` },
      duplicate: false,
    },
    w: [{ code: 'no_hat', message: 'The hat is “empty”.' }],
    service: 'https://api.example',
    key: 'ab'.repeat(32),
  };
}
