import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';

/** The API key of a double's only user, by default. */
export const DOUBLE_KEY = '5eedf00d'.repeat(9);

/** Chance and ids of a double: the same seed gives the same, in the order in which they are drawn. */
export class Seed {
  readonly #seed: string;
  #drawn = 0;

  constructor(seed: number | string) {
    this.#seed = String(seed);
  }

  /** Random bytes, at most 32, in hexadecimal digits. */
  hex(bytes: number): string {
    return createHash('sha256')
      .update(`${this.#seed}:${this.#drawn++}`)
      .digest('hex')
      .slice(0, 2 * bytes);
  }

  /** A UUID of version 4, no dashes. */
  uuid(): string {
    const digits = this.hex(16);
    return `${digits.slice(0, 12)}4${digits.slice(13, 16)}a${digits.slice(17)}`;
  }
}

/** Whole numbers below a bound, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/**
 * The key that doubles sign with (RSA-4096, PKCS#8 in DER, base64). Everyone has it, so that equal pictures have equal
 * signatures in all test runs; nothing else in skinsmith uses or trusts it.
 */
const FIXTURE_KEY = [
  'MIIJQgIBADANBgkqhkiG9w0BAQEFAASCCSwwggkoAgEAAoICAQCkz9xdcaZnkGn4LW83t/3W7cD6lVrAVYB30GgSt9aAaCQSPgIKTZrc',
  'DpzOzZGoFLhK5XjHYP+5c9XPY50Tb27Jpo1DvnYuE7nO0eAw4Ih8DFRWbn5O2HZviVEquCx3QEBHst/GnNqFw89BQfLCh2gOqtn9gjJz',
  'VkU543f8iG5RhbxvVUzvY4SEAa7UwXq0HPDAyiEzipGolhrpoz5jw8wMmyrxTsoOb88OvcWP+kBAOxaK7Xl6imzlNMOziyeJLT5w0zwB',
  'xpBCapTNjxA4FNlohCVRZ1j5p7KDUcByF1JHJBls7rIk9Dgu+ovlgFl/sxYhbDN8MsB5/ksH5FhUUEsXZ5gUEKXnofNrCK76NfE51D32',
  'xz3EwVtroi09HoG0loRLAi8wRmUZdwXT8E6xjhDvR6xUC7cwJCttfUVEBvvxhojfoIn9WOmmnJ9RkR1F6Hl7IGKu5kBG4Vc3f23ibz74',
  'B6dcoj6VMeqtussDs9Gr2T76PMmMttHd1ittei5JG/RorcoICIK3SBU3accC0r3bqopS3uW1Cc9nryNnq+TCF3JiW7f2qH0sjmNGndjj',
  'uYSi0mvwC/YDpFghKKsYPrVGQvAjQWRNxjrSdOB4ZFjHU7TsUvEIkEfmalmUydUC8zYdyX2WhnuuX/Oui1dpGJrooCySl/8lxVOtxkJy',
  'yrKpFwIDAQABAoICAEnRuFg6UVhNvMkmQIxqYs3jy+3w+6buJQ6FUDgiE3eMLavmDi/jNpueB+ow9S6dqTYSthhHgALmuTuc2HweCzdS',
  '3C8dnf1hZHYYVxxNVZSKSTQ1ZWmXVuT6UlqaB4CaTLBQlB53nwEPBUOrcDplP9xh9iWwLTyvxW36ToHT8eWdyxrqz/zhTDd8MXyl9Hm8',
  'BLG1V02ooTkrkn5XWdiBmGGFFqTir2nr9ogZw+WLJ0Adtyke2KxkWAYJriY7C8hLdY4/br802uSErIWtsIwN+prvpW9ipN2dmT1sXpA7',
  'leS7bI/4Ed6vbILOQd7XsD6cTitGNYFJkiCSH7U3N8D7/cWTp2Y+7O4VEc/sxhgd5gklD3vSFPzDC1YWIH4oLn3RZWdVES+lwUASnQbf',
  '9WdVPOOKrn16W8UTbGb+vFNuBzkMpiZIuOunHd5PFt4ST43z8pPZqZeEbPQtv/g3HRHJDUZiOmyAdcdtkgy4RaKXWlBlS3+wGYUdSUlc',
  'zpVT5J4RflskpXBXbkmJhHi5iiNFpF+l544qKeGpjc0fQxcKYYra0QH9sb8jiUVtk/s+Un8rgYUfyjJ6KK17+GuueI8HPur42Y6zBT2W',
  '12g9jV+dWpsTLtkmsOs+tuPTICGBljRLKzPWxEXOz146hye189rTWqNr5psYBOJIZ8oR/4KoGjmBAoIBAQDYOOUesIiT1GP63BhL8+Rh',
  'nN/9CSeM4pkxRpWtBlV3DLgypl0E3uig6mdV4OYuIRs+tQX5NNq5hXker0u23gaXGXlnujoXurDOnW4gluLM5vHpmneLVzjT9/souvcH',
  'Mtz89QPXZyGyS1rKJv2oLAiQ/onkVtdLtxpEND+guW+koKP+wTVbB47pFCzW6D67m1w0UIUtuEJwWhAgt2x1gR4gz4k5Z9cIs6+s9+et',
  '40ef+uRtYCVhF780nDAKRVevRg2sHUdkXRsu0VdqpAeTp6EJht0pmW2eBBgp7dgq6v0U0Vei/4bzJdUH2HNedCynrdJsDnu0Q1pbL6J3',
  'w+dK9PShAoIBAQDDIcUjOPx0PxzVkoNFvAnO/3qUr4W1wMvetl8WQNXadHHpFTYymmzfsNbM8HFv15ySiGfcq+LT+BqcRH7paUJFEPD8',
  'IwvU3wb+kuSq7MVYykQJMWH73QgrBcZQnifKXCumsXNvuIbq3KX/SgOYT5jsyRKqqQxTe/bHosZcQaOsWRUnT6ovxO4UrrqrrthTR1wN',
  'NoGchoba1izvhV/kzoQO86smboAsXjoaq4ijne6Vi+asxkgtx5zqVitZxNEdXNFMUrthgKkBl4BVhS6iCDM719JhFkjZTccnCvG3qtAv',
  '2ncwhU/Sx6+ASADbMSBdsSX774/u8vqwd6QIajyGGYq3AoIBAH6Rl3VGizxV2IyxJ7vWMbr+FJPPNwqeXmRc2CLnkUHV/UEQ52SBg5Um',
  'gYTg2HzqPkOPvcZqLRrqScMvg9ew0hTDAbE5buYTD4py11NWX77n9XX0SMQVM5vJDomCIDZjjL66QhxmL3Bp8eRhvJwj4oPVrCwwtWiJ',
  '72M7Xn+b7QFmU3k96hi2LO69M549ZvN09x1cgQkJUkLoRYaROHj0Mwmr0rz6zwI2BMDwgPrmDzhTqkFoRZk3SGLohqqMes6L6Fb28KKM',
  'aewW+N/g0tqZBohIHNBMEsGrzeVFaAN/eNQl0vIEOB++5pvoFWiWAsnI02MTe1BDGPJFyQnocE0NZOECggEANTpAAUSpMLiKkAOgRWRu',
  'tIViFa7vZU3LDtxmgbZ731RGQlNj7lfLfRVK8qpf9yc0cZA97KcCf9m8wIW6rMbmqdpeMhkJQC76RHUjZTCjAH5kIrHSzZZUhQ/VMeaC',
  'aiPMUHM1TvNh8izwJvw0kNadm3GZ4u2sDBXTkk9nloDdOcUvDQMhJFiurPugtfZC0iy0AnKs1lqn7IfhyBB0wQBIa5+yPxCDbBbj+KRz',
  '6FXLYAXCjbykscAyoIWS27DhbgYEnbIvpQAomeOOwUVMHCzqdNeBbrRaeNRLj+3fU7+HfJY2Twj+ZjvMNsztVt1Gu+f3uYp2k7K6CWsJ',
  'VrZL/jR3bwKCAQEAvsEBUkfgzXCRIHl3ljeiJneAvD5649Pd+id/T0s3KMSoNdK51yRrsg5rg7LLMMzxc1ItDa/ajkOXB3rn3gphvPgS',
  'I9L+oWh8qJz0EYHSfz94miB6NZ4WwGDXX3o3WL4TseEU/rqWR7/h6xOTa4yvpySmO+syjORODDHDqu9a36CJP0FuG4Byv4X+6YEGaLJ8',
  '/airx/LMd+PgBLHjcCvFI2fd3uBeAoXV7HhIEBPvh0R9zJ2kRI7k5Fr94MtuQFe8ZbJiEXsIdkclCOB4ZV95eQqaAA5ArXTkm+Q8OCCC',
  '8uU6pcjXqCx8rVffhOoarYntraHjDd5nM4j8t1lTYvd8JQ==',
].join('');

/** The key whose signatures golden files can hold. */
export function fixtureKey(): KeyObject {
  return createPrivateKey({ key: Buffer.from(FIXTURE_KEY, 'base64'), format: 'der', type: 'pkcs8' });
}
