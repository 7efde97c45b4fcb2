import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** Where the build puts what pages load. The build replaces this name by the place beside the program. */
const FOLDER = new URL('../../../../dist/pages/', import.meta.url);

/** What pages name. Scripts load further files by themselves. */
export type AssetName = 'style.css' | 'page.js' | 'icon.svg';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/** What the build wrote: the names under which files are served, by their own names, and all that are served. */
interface Manifest {
  readonly names: Readonly<Record<AssetName, string>>;
  readonly served: readonly string[];
}

let read: Manifest | undefined;
const assets = new Map<string, Promise<Asset>>();

/** The address of an asset. It changes with the content, so what is there never changes. */
export function assetAddress(name: AssetName): string {
  return `/ui/assets/${manifest().names[name]}`;
}

/** An asset by the name under which it is served; undefined if there is none. */
export async function readAsset(name: string): Promise<Asset | undefined> {
  const type = TYPES[name.split('.').at(-1) ?? ''];
  if (type === undefined || !manifest().served.includes(name)) return undefined;
  const asset = assets.get(name) ?? openAsset(name, type);
  assets.set(name, asset);
  try {
    return await asset;
  } catch (error) {
    assets.delete(name); // it may be readable the next time
    throw error;
  }
}

/** Unpacked once for all who take nothing compressed: each connection would have bytes of its own otherwise. */
async function openAsset(name: string, type: string): Promise<Asset> {
  const gzipped = fileOf(`${name}.gz`);
  return { type, plain: await promisify(gunzip)(gzipped), gzipped };
}

function manifest(): Manifest {
  read ??= JSON.parse(fileOf('manifest.json').toString()) as Manifest;
  return read;
}

function fileOf(name: string): Buffer {
  return readFileSync(new URL(name, FOLDER));
}
