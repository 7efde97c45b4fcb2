import { hash } from 'node:crypto';
import type { SkinVariant, SkinVisibility } from './skin.ts';

/** What batches recorded about a source beside its skin. Paths begin at the lockfile's folder, with `/` between segments. */
export interface SourceRecord {
  /** The list that names the source. */
  readonly list?: string | undefined;
  /** The output files written for it, by the name that they share. */
  readonly outputs?: readonly { readonly name: string; readonly files: readonly string[] }[] | undefined;
}

/** A line of skins.lock: a source, and the skin that was made from it. */
export interface LockLine {
  readonly source: string;
  /** Pixel hash; undefined only for sources without a picture. */
  readonly pixels?: string | undefined;
  /** The requested options. `cape`: its UUID. */
  readonly options: {
    readonly variant: 'auto' | 'classic' | 'slim';
    readonly visibility: SkinVisibility;
    readonly cape?: string | undefined;
  };
  readonly uuid: string;
  readonly record?: SourceRecord | undefined;
  readonly name?: string | undefined;
  /** The result. */
  readonly variant: SkinVariant;
  readonly visibility: SkinVisibility;
  /** Base64 of the textures document. */
  readonly value: string;
  /** Base64 of the RSA signature over `value`. */
  readonly signature: string;
  /** URL of the texture. */
  readonly texture: string;
  /** Hash of the texture, as the service names it. */
  readonly hash: string;
  /** The service that made it: its address, or `embedded`. */
  readonly service: string;
  /** Fingerprint of the service's own key, if that key signed. */
  readonly key?: string | undefined;
  /** `game`, `embedded`, the address of the service whose own key signed, or `unproved`; absent in old lines. */
  readonly signer?: string | undefined;
  /** See `digestOf`; absent like `signer`. */
  readonly digest?: string | undefined;
}

/** The entry's line, without a line break: a fixed order of fields, so that a diff shows what changed. */
export function lineOf(entry: LockLine): string {
  const { variant, visibility, cape } = entry.options;
  return JSON.stringify({
    source: entry.source,
    pixels: entry.pixels,
    options: { variant, visibility, cape },
    uuid: entry.uuid,
    record: entry.record,
    name: entry.name,
    variant: entry.variant,
    visibility: entry.visibility,
    value: entry.value,
    signature: entry.signature,
    texture: entry.texture,
    hash: entry.hash,
    service: entry.service,
    key: entry.key,
    signer: entry.signer,
    digest: entry.digest,
  });
}

/** Hexadecimal digits of a digest. Enough to detect damage, not tampering: who edits a line can edit this too. */
const DIGITS = 16;

type Covered = Pick<LockLine, 'service' | 'key' | 'signer' | 'value' | 'signature'>;

/** Digest of the parts of an entry that others rely on without checking: the skin data and its signer. */
export function digestOf(entry: Covered): string {
  const { service, key, signer, value, signature } = entry;
  const covered = JSON.stringify([service, key ?? '', signer ?? '', value, signature]);
  return hash('sha256', covered).slice(0, DIGITS);
}

/** Ready to be written. An entry without a signer, as in an old journal, keeps the old form. */
export function withDigest<Line extends LockLine>(entry: Line): Line {
  return entry.signer === undefined ? entry : { ...entry, digest: digestOf(entry) };
}
