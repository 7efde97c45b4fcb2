import { readFileSync } from 'node:fs';

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
  readonly gzipped: Buffer;
}

/** What the build wrote: the names under which files are served, by their own names, and all that are served. */
interface Manifest {
  readonly names: Readonly<Record<AssetName, string>>;
  readonly served: readonly string[];
}

let read: Manifest | undefined;
const assets = new Map<string, Asset>();

/** The address of an asset. It changes with the content, so what is there never changes. */
export function assetAddress(name: AssetName): string {
  return `/ui/assets/${manifest().names[name]}`;
}

/** An asset by the name under which it is served; undefined if there is none. */
export function readAsset(name: string): Asset | undefined {
  const type = TYPES[name.split('.').at(-1) ?? ''];
  if (type === undefined || !manifest().served.includes(name)) return undefined;
  const kept = assets.get(name);
  if (kept) return kept;
  const asset = { type, gzipped: fileOf(`${name}.gz`) };
  assets.set(name, asset);
  return asset;
}

function manifest(): Manifest {
  read ??= JSON.parse(fileOf('manifest.json').toString()) as Manifest;
  return read;
}

function fileOf(name: string): Buffer {
  return readFileSync(new URL(name, FOLDER));
}
