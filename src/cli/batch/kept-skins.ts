import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { Lockfile } from '../../batch/lockfile/lockfile.ts';
import { sourcePath } from '../../batch/lockfile/source-id.ts';
import type { KeptSkin } from '../../batch/proof/verify-skin.ts';
import { CliError } from '../exit.ts';

/** A skin from a file, with what the file knows about it. */
export interface Kept extends KeptSkin {
  /** Who made it: an address or `embedded`; undefined: the file does not say. */
  readonly service: string | undefined;
  /** Where its source's picture should be; undefined: it never was a file. */
  readonly path: string | undefined;
}

/** Bytes of a JSON file at the most. */
const LARGEST_JSON = 64 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

/** As `generate` writes it, or as on the wire. */
const skinSchema = z.object({
  source: z.string().optional(),
  name: z.string().nullish(),
  uuid: z.string().optional(),
  variant: z.string().optional(),
  value: z.string(),
  signature: z.string(),
  url: z.string().optional(),
});

/** The skins in a lockfile, or in a JSON file. @throws CliError, LockfileError, Error of the file system */
export async function* keptSkins(path: string): AsyncGenerator<Kept> {
  if (isLockfile(path)) yield* lockedSkins(path);
  else yield* jsonSkins(path);
}

async function* lockedSkins(path: string): AsyncGenerator<Kept> {
  const folder = dirname(resolve(path));
  const lockfile = await Lockfile.open(path);
  try {
    for (let entry = 0; entry < lockfile.size; entry++) {
      const { options, ...locked } = lockfile.read(entry);
      const { source, value, signature, pixels, texture, variant, service } = locked;
      const hasCape = options.cape !== undefined;
      const kept = { source, value, signature, pixels, texture, variant, service, hasCape };
      yield { ...kept, path: sourcePath(source, folder) };
    }
  } finally {
    lockfile.close();
  }
}

function* jsonSkins(path: string): Generator<Kept> {
  const json = parseFile(path);
  for (const item of Array.isArray(json) ? json : [json]) {
    const { data } = skinSchema.safeParse(flatten(item));
    if (!data) throw noSkins(path);
    const { source = data.name ?? data.uuid ?? path, value, signature, variant, url } = data;
    yield { source, value, signature, variant, texture: url, service: undefined, path: data.source };
  }
}

/** Both shapes as one: value and signature at the top. */
function flatten(item: unknown): unknown {
  const { skin, ...fields } = (item ?? {}) as { skin?: object; texture?: Record<string, unknown> };
  const whole: { texture?: Record<string, unknown> } = skin ?? fields;
  const { data, url } = whole.texture ?? {};
  const address = typeof url === 'object' ? (url as { skin?: unknown } | null)?.skin : url;
  return { ...whole, ...(data as object | undefined), url: address };
}

/** By its first line, which is an entry by itself; a JSON document's is not, unless it is on one line. */
function isLockfile(path: string): boolean {
  const buffer = Buffer.alloc(FIRST_BYTES);
  const fd = openSync(path, 'r');
  try {
    const text = buffer.toString('utf8', 0, readSync(fd, buffer));
    return text.trim() === '' || path.endsWith('.lock') || /^\{"source":.*"options":\{.*\}$/m.test(text);
  } finally {
    closeSync(fd);
  }
}

function parseFile(path: string): unknown {
  if (statSync(path).size > LARGEST_JSON) throw noSkins(path);
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw error instanceof SyntaxError ? noSkins(path) : error;
  }
}

function noSkins(path: string): CliError {
  return new CliError('no_skins', `${path} holds no skin data.`, {
    hint: 'Give a lockfile (skins.lock), or JSON as generate --json and --out write it.',
  });
}
