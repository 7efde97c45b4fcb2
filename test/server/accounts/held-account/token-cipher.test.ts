import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  AccountKeyChangedError,
  AccountKeyError,
  TokenCipher,
} from '../../../../src/server/accounts/held-account.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);

async function makeCipher() {
  const path = join(await ownFolder(), 'account-key');
  return { path, cipher: new TokenCipher(path) };
}

describe('Tokens of an account', () => {
  test('are read with the key that is in the file, which is its owner’s alone', async () => {
    const { path, cipher } = await makeCipher();
    const sealed = await cipher.seal(ANN, 'secret');
    expect(sealed).toMatch(/^v1\./);
    expect(sealed).not.toContain(Buffer.from('secret').toString('base64url'));
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
    expect(await new TokenCipher(path).open(ANN, sealed)).toBe('secret');
  });

  test('look different each time', async () => {
    const { cipher } = await makeCipher();
    expect(await cipher.seal(ANN, 'secret')).not.toBe(await cipher.seal(ANN, 'secret'));
  });

  test('are not accepted for another account', async () => {
    const { cipher } = await makeCipher();
    await expect(cipher.open(BOB, await cipher.seal(ANN, 'secret'))).rejects.toThrow(AccountKeyError);
  });

  test('cannot be read with another key', async () => {
    const { cipher } = await makeCipher();
    const other = await makeCipher();
    await other.cipher.seal(BOB, 'x');
    await expect(other.cipher.open(ANN, await cipher.seal(ANN, 'secret'))).rejects.toThrow(
      'Link the account again',
    );
  });

  test.each([0, 3, 20, -1])('that were changed at position %i are not read', async (at) => {
    const { cipher } = await makeCipher();
    const sealed = await cipher.seal(ANN, 'secret');
    const place = at < 0 ? sealed.length - 3 : at;
    const other = sealed[place] === 'A' ? 'B' : 'A';
    const changed = sealed.slice(0, place) + other + sealed.slice(place + 1);
    await expect(cipher.open(ANN, changed)).rejects.toThrow(AccountKeyError);
  });

  test.each(['', 'v2.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA', '{"game":null}'])(
    'are not read from the invalid value %j',
    async (sealed) => {
      const { cipher } = await makeCipher();
      await cipher.seal(ANN, 'x');
      await expect(cipher.open(ANN, sealed)).rejects.toThrow(AccountKeyError);
    },
  );

  test('are not read, and no key is made, where the file is missing', async () => {
    const { path, cipher } = await makeCipher();
    const elsewhere = await makeCipher();
    const sealed = await cipher.seal(ANN, 'secret');
    const error = await elsewhere.cipher.open(ANN, sealed).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AccountKeyError);
    expect(String(error)).not.toContain(elsewhere.path);
    await expect(readFile(elsewhere.path)).rejects.toThrow('ENOENT');
    expect(await readFile(path, 'utf8')).toMatch(/^[\w-]{43}\n$/);
  });

  test('are not sealed with an invalid key', async () => {
    const { path, cipher } = await makeCipher();
    await writeFile(path, 'short\n');
    await expect(cipher.seal(ANN, 'secret')).rejects.toThrow('contains no key');
  });

  test('are sealed with a key that another program has made, in any base64', async () => {
    const { path, cipher } = await makeCipher();
    await writeFile(path, `${Buffer.alloc(32, 0xfb).toString('base64')}\n`);
    const sealed = await cipher.seal(ANN, 'secret');
    await writeFile(path, Buffer.alloc(32, 0xfb).toString('base64url'));
    expect(await new TokenCipher(path).open(ANN, sealed)).toBe('secret');
  });

  test('are sealed with one key when two processes seal for the first time at once', async () => {
    const { path } = await makeCipher();
    const ciphers = Array.from({ length: 8 }, () => new TokenCipher(path));
    const sealed = await Promise.all(ciphers.map((cipher) => cipher.seal(ANN, 'x')));
    for (const one of sealed) expect(await ciphers[0]!.open(ANN, one)).toBe('x');
  });
});

describe('The key of several servers', () => {
  /** As a store remembers it. */
  function shared() {
    let kept: string | undefined;
    return async (found: string | undefined) => {
      kept ??= found;
      if (kept !== found) throw new AccountKeyChangedError('another key');
    };
  }

  async function server(check: ReturnType<typeof shared>, path?: string) {
    return new TokenCipher(path ?? join(await ownFolder(), 'account-key'), check);
  }

  test('is made by the first that seals; a server without it does not start, and makes none', async () => {
    const check = shared();
    const path = join(await ownFolder(), 'account-key');
    const [one, early] = [await server(check, path), await server(check)];
    await Promise.all([one.start(), early.start()]);
    const sealed = await one.seal(ANN, 'secret');
    await expect(early.seal(ANN, 'secret')).rejects.toThrow(AccountKeyChangedError);
    await expect((await server(check)).start()).rejects.toThrow(AccountKeyChangedError);
    const other = await server(check, path);
    await other.start();
    expect(await other.open(ANN, sealed)).toBe('secret');
  });

  test('is the same one if two servers make it at once', async () => {
    const check = shared();
    const paths = [join(await ownFolder(), 'account-key'), join(await ownFolder(), 'account-key')];
    const sealing = paths.map(async (path) => await (await server(check, path)).seal(ANN, 'secret'));
    const refused = (await Promise.allSettled(sealing)).flatMap((end) =>
      end.status === 'rejected' ? [end.reason] : [],
    );
    expect(refused).toEqual([expect.any(AccountKeyChangedError)]);
    expect(paths.filter((path) => existsSync(path))).toHaveLength(1);
  });

  test('must be the same on all of them', async () => {
    const check = shared();
    await (await server(check)).seal(ANN, 'secret');
    const path = join(await ownFolder(), 'account-key');
    await new TokenCipher(path).seal(ANN, 'secret');
    await expect((await server(check, path)).start()).rejects.toThrow(AccountKeyChangedError);
  });
});
