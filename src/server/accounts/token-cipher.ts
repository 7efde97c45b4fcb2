import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { makeSecretFile, readSecretFile } from '../../base/files.ts';
import { shortFingerprint } from '../../base/text.ts';

/** The tokens in a shared store were encrypted with another key than this server's. */
export class AccountKeyChangedError extends Error {
  override readonly name = 'AccountKeyChangedError';
  readonly code = 'account_key_changed';
  readonly hint = "Give this server the others' key file with --account-key <file>";
}

/** Checks by its fingerprint that a key is the one of all servers; undefined: there is no key here. Throws if it differs. */
export type KeyCheck = (fingerprint: string | undefined) => Promise<void>;

/** Unreadable tokens or an unusable key file. `message` says what to do. */
export class AccountKeyError extends Error {
  override readonly name = 'AccountKeyError';
  readonly code = 'account_key_unusable';
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
/** The format of encrypted tokens. Unknown versions are rejected. */
const VERSION = 'v1';
const SEALED = /^v1\.([\w-]{16})\.([\w-]{22})\.([\w-]+)$/;

/**
 * Encrypts an account's tokens: AES-256-GCM with the key in a file, bound to the account, so that a copy of the store
 * without the key is useless and no account's tokens can pass for another's.
 */
export class TokenCipher {
  readonly #path: string;
  readonly #check: KeyCheck;
  #key: Buffer | undefined;

  /**
   * @param path of the key file, which is created on first use
   * @param check called before a key is used for the first time; default: there is only one server
   */
  constructor(path: string, check: KeyCheck = async () => {}) {
    this.#path = path;
    this.#check = check;
  }

  /** Call this when the server starts. @throws AccountKeyError, AccountKeyChangedError */
  async start(): Promise<void> {
    if (!(await this.#existingKey())) await this.#check(undefined);
  }

  /** @throws AccountKeyError */
  async seal(uuid: string, text: string): Promise<string> {
    const key = (await this.#existingKey()) ?? (await this.#newKey());
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(uuid));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return [VERSION, ...[iv, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'))].join(
      '.',
    );
  }

  /** @throws AccountKeyError if the text was not sealed for this account with this key, or has been changed since */
  async open(uuid: string, sealed: string): Promise<string> {
    const key = await this.#existingKey();
    if (!key) throw new AccountKeyError('The key file account-key is missing. Restore it from a backup.');
    const [, ...parts] = SEALED.exec(sealed) ?? [];
    const [iv, tag, text] = parts.map((part) => Buffer.from(part, 'base64url'));
    if (!iv || !tag || !text) throw unreadable();
    try {
      const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: 16 });
      decipher.setAAD(Buffer.from(uuid)).setAuthTag(tag);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw unreadable(cause);
    }
  }

  async #existingKey(): Promise<Buffer | undefined> {
    if (this.#key) return this.#key;
    const text = await readSecretFile(this.#path);
    if (text !== undefined) this.#key = await this.#checked(this.#readKey(text));
    return this.#key;
  }

  async #newKey(): Promise<Buffer> {
    await this.#check(undefined);
    const made = `${randomBytes(KEY_BYTES).toString('base64url')}\n`;
    const text = await makeSecretFile(this.#path, made);
    try {
      this.#key = await this.#checked(this.#readKey(text));
    } catch (error) {
      // Another server was first. This server would not start again with this file, and nothing is encrypted with it.
      if (error instanceof AccountKeyChangedError && text === made) await rm(this.#path, { force: true });
      throw error;
    }
    return this.#key;
  }

  async #checked(key: Buffer): Promise<Buffer> {
    await this.#check(shortFingerprint(key.toString('base64url')));
    return key;
  }

  #readKey(text: string): Buffer {
    const key = Buffer.from(text.trim(), 'base64url');
    if (key.length === KEY_BYTES) return key;
    throw new AccountKeyError('The key file account-key contains no key. Restore it from a backup.');
  }
}

function unreadable(cause?: unknown): AccountKeyError {
  const message = "The account's tokens cannot be read with the key in account-key. Link the account again.";
  return new AccountKeyError(message, { cause });
}
