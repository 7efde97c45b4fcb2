import { hash as digest, type KeyObject } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import { VERSION } from '../../base/version.ts';
import type { KeyDocument } from '../../protocol/account.ts';
import { finding, type HealthFinding } from '../../protocol/service.ts';
import { buildTexturesValue } from '../../textures/property.ts';
import {
  fingerprintOf,
  isSignedBy,
  openSigningKey,
  type SigningKey,
  SigningKeyError,
  signingKeyOf,
  signValue,
} from '../../textures/signing-key.ts';
import { type Db, exists, inTransaction } from '../store/db.ts';
import { lockQueue } from '../store/locks.ts';
import { deleteMeta, keepMeta, readMeta, writeMeta } from '../store/meta.ts';
import type { Generator, SignedSkin, Texture, Trust } from './port.ts';

/** The store has skins that were signed with another key than the present one. `hint` says what to do. */
export class SigningKeyChangedError extends Error {
  override readonly name = 'SigningKeyChangedError';
  readonly code = 'signing_key_changed';
  readonly hint: string;

  /** @param isShared whether other servers use the store, too */
  constructor(message: string, isShared: boolean) {
    super(message);
    const cure = isShared
      ? 'Give this server the key file of the others: --signing-key <file>.'
      : 'Restore the old key, for example from a backup. If serve has it elsewhere (--signing-key), let commands use ' +
        'that service by its address: --base-url <url>.';
    this.hint = `${cure} To sign with a new key from now on: skinsmith serve --new-signing-key`;
  }
}

export interface OwnKeyOptions {
  readonly db: Db;
  readonly path: string;
  /** The key itself, in place of the file. */
  readonly given?: KeyObject | undefined;
  /** Whether skins are signed with it here. */
  readonly isUsed: boolean;
  /** Whether servers on other machines may use the store: all of them must have the same key from the first start on. */
  readonly isShared: boolean;
}

/**
 * The service's own signing key. The store keeps its ID: with another key, everything that was ever signed would have
 * to be signed again, so a lost or replaced key file is an error and not simply recreated.
 */
export class OwnKey {
  readonly #options: OwnKeyOptions;
  #opening: Promise<SigningKey> | undefined;
  /** The file when it was last checked, and whether it was the right one. */
  #looked: { readonly version: string; readonly id: string | undefined } | undefined;

  constructor(options: OwnKeyOptions) {
    this.#options = options;
  }

  get isThere(): boolean {
    return this.#options.given !== undefined || existsSync(this.#options.path);
  }

  /** The key, unless it has yet to be created. @throws SigningKeyError */
  async openExisting(): Promise<SigningKey | undefined> {
    return this.#opening || this.isThere ? await this.open() : undefined;
  }

  /** The key, created on first use. A failure is not remembered. @throws SigningKeyError */
  async open(): Promise<SigningKey> {
    this.#opening ??= this.#open();
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  /**
   * Call this before anything is signed. Stores the key's ID if the store has none yet.
   * @param acceptsNew whether to continue with another key than the one that signed the store's skins
   * @throws SigningKeyError, SigningKeyChangedError
   */
  async start(acceptsNew: boolean): Promise<void> {
    const { db, path, isUsed, isShared } = this.#options;
    if (isUsed && isShared) await this.#makeFirst();
    const found = this.isThere ? (await this.open()).id : undefined;
    if (!isUsed) return;
    const kept = await readMeta(db, 'signing-key');
    if (found !== undefined && (kept === found || kept === undefined)) return await this.#keep(found);
    const isFree = acceptsNew || !(isShared || (await hasOwnSkins(db, kept)));
    // Other nodes must learn the new key at once.
    if (isFree) return await this.#replace(isShared ? (await this.open()).id : found);
    const message =
      found === undefined
        ? `This store's skins are signed with its own key, but ${path} is missing.`
        : `This store's skins are signed with another key than ${path}.`;
    throw new SigningKeyChangedError(message, isShared);
  }

  /** Whether the file is gone or has changed, or another process uses a new key. */
  async isChanged(): Promise<boolean> {
    const { db, isUsed } = this.#options;
    const kept = isUsed ? await readMeta(db, 'signing-key') : undefined;
    if (kept === undefined) return false;
    const opened = await this.#opening?.then(
      ({ id }) => id,
      () => undefined,
    );
    return (opened ?? kept) !== kept || (await this.#idOfFile()) !== kept;
  }

  /** If several servers start with a new store at once, one makes the key, and the others notice. */
  async #makeFirst(): Promise<void> {
    await inTransaction(this.#options.db, async (tx) => {
      await lockQueue(tx);
      if ((await readMeta(tx, 'signing-key')) !== undefined) return;
      await keepMeta(tx, 'signing-key', (await this.#read()).id);
    });
  }

  async #open(): Promise<SigningKey> {
    const key = await this.#read();
    if (this.#options.isUsed) await this.#keep(key.id);
    return key;
  }

  async #read(): Promise<SigningKey> {
    const { given, path } = this.#options;
    return given ? signingKeyOf(given) : await openSigningKey(path);
  }

  async #keep(id: string): Promise<void> {
    await keepMeta(this.#options.db, 'signing-key', id);
  }

  async #replace(id: string | undefined): Promise<void> {
    if (id === undefined) await deleteMeta(this.#options.db, 'signing-key');
    else await writeMeta(this.#options.db, 'signing-key', id);
  }

  async #idOfFile(): Promise<string | undefined> {
    const { path, given } = this.#options;
    if (given) return signingKeyOf(given).id;
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return undefined; // opening it would create one
    const version = `${found.dev}:${found.ino}:${found.mtimeMs}:${found.size}`;
    if (this.#looked?.version !== version) this.#looked = { version, id: await readId(path) };
    return this.#looked.id;
  }
}

async function readId(path: string): Promise<string | undefined> {
  try {
    return (await openSigningKey(path)).id;
  } catch (error) {
    if (error instanceof SigningKeyError) return undefined;
    throw error;
  }
}

/** Whether the store has skins signed with this key, or, if `undefined`, with any key of a service. */
async function hasOwnSkins(db: Db, id: string | undefined): Promise<boolean> {
  const signed = db.selectFrom('texture_data').select('identity').limit(1);
  const own =
    id === undefined
      ? signed.where((eb) => eb(eb.fn<number>('length', ['account']), '=', ID_LENGTH))
      : signed.where('account', '=', id);
  return await exists(own);
}

/** Game accounts have longer names. */
const ID_LENGTH = 16;

export interface SigningOptions {
  readonly key: () => Promise<SigningKey>;
  /** Whether a key already exists. Creating one takes a while. */
  readonly hasKey: () => boolean;
  /** Whether the key is gone or differs from the one that signed the store's skins. */
  readonly isKeyChanged: () => Promise<boolean>;
  /** Address of the service as seen from players' machines, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

const PROFILE_NAME = 'skinsmith';

/** The address of a texture on a service at this address. */
export function textureUrl(publicUrl: string, hash: string): string {
  return `${publicUrl}/textures/${hash}`;
}

/**
 * Signs with the service's own key. Clients and servers that trust the key accept the signature; the game's own
 * clients, which trust only the game's key, do not.
 */
export function signingGenerator(options: SigningOptions): Generator {
  return {
    signer: async () => `signing:${(await options.key()).id}:${options.publicUrl()}`,
    generate: async (texture) => await signTexture(texture, options),
    health: async () => [await keyHealth(options)],
  };
}

async function signTexture(texture: Texture, { key, publicUrl, clock }: SigningOptions): Promise<SignedSkin> {
  const { privateKey, id } = await key();
  const url = textureUrl(publicUrl(), texture.hash);
  const cape_url = texture.capeHash === null ? null : textureUrl(publicUrl(), texture.capeHash);
  const value = buildTexturesValue({
    timestamp: clock.now(),
    profileId: profileIdOf(texture),
    profileName: PROFILE_NAME,
    skin: { url, variant: texture.variant },
    ...(cape_url !== null && { cape: { url: cape_url } }),
  });
  return { value, signature: await signValue(value, privateKey), url, cape_url, account: id };
}

async function keyHealth({ key, hasKey, isKeyChanged }: SigningOptions): Promise<HealthFinding> {
  if (await isKeyChanged()) {
    const message =
      "The signing key file is missing, or is not the key that signed the store's skins. Restore the old one and restart the service.";
    return finding('problem', 'signing_key_changed', message);
  }
  if (!hasKey()) {
    const message = 'The service signs with its own key, which it creates on first use.';
    return finding('ok', 'signing_key_unmade', message);
  }
  if (!(await canSign(key)))
    return finding('problem', 'signing_key_unusable', "The service's signing key cannot be used.");
  const fingerprint = fingerprintOf((await key()).publicKey);
  return finding('ok', 'signing_key', `The service signs with its own key (${fingerprint}).`);
}

async function canSign(key: SigningOptions['key']): Promise<boolean> {
  try {
    const { privateKey, publicKey } = await key();
    return isSignedBy(publicKey, PROFILE_NAME, await signValue(PROFILE_NAME, privateKey));
  } catch (error) {
    if (error instanceof SigningKeyError) return false;
    throw error;
  }
}

/** A separate profile id for every texture, variant and cape, so that caches keyed by profile keep them apart. */
function profileIdOf({ hash, variant, capeHash }: Texture): string {
  const parts = [hash, variant, ...(capeHash === null ? [] : [capeHash])];
  return digest('sha256', parts.join(':')).slice(0, 32);
}

export interface TrustOptions {
  readonly key: () => Promise<SigningKey>;
  readonly publicUrl: string;
  /** Set if another service signs. */
  readonly trust: Trust | undefined;
  /** The service's name, which launchers show. */
  readonly name: string;
}

/** What others need to trust the skins made here: the key, and the hosts of the textures. */
export async function describeTrust({ key, publicUrl, trust, name }: TrustOptions): Promise<KeyDocument> {
  const pem = trust ? trust.publicPem : (await key()).publicPem;
  return {
    meta: { serverName: name, implementationName: 'skinsmith', implementationVersion: VERSION },
    skinDomains: [...new Set([new URL(publicUrl).hostname, ...(trust?.skinDomains ?? [])])],
    ...(pem !== undefined && { signaturePublickey: pem }),
  };
}
