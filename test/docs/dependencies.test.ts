import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { satisfies } from 'semver';
import { expect, test } from 'vitest';
import { ROOT } from '../support/program/program.ts';

const OLDEST_NODE = '22.19.0';

interface Manifest {
  readonly version: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface LockFile {
  readonly packages: Readonly<Record<string, Manifest>>;
}

const read = <T>(path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T;
const manifest = read<Manifest>('package.json');
const { components: bundled } = read<{ components: { name: string; version: string }[] }>(
  'dist/bill-of-materials.cdx.json',
);

/** Every installed package by its folder, as the lock file has them: a package may be there in several versions. */
const installed = Object.entries(read<LockFile>('package-lock.json').packages).filter(
  ([path]) => path !== '',
);

test('Node 22.19 runs every package that the program holds or that comes with the library', () => {
  expect(satisfies(OLDEST_NODE, manifest.engines?.node ?? '')).toBe(true);
  const shipped = new Set([
    ...bundled.map(({ name, version }) => `${name}@${version}`),
    ...Object.entries(manifest.dependencies ?? {}).map(([name, version]) => `${name}@${version}`),
  ]);
  const packages = installed
    .map(([path, { version, engines }]) => ({
      name: `${path.replace(/^.*node_modules\//, '')}@${version}`,
      range: engines?.node,
    }))
    .filter(({ name }) => shipped.has(name));
  expect(new Set(packages.map(({ name }) => name))).toEqual(shipped);
  expect(packages.filter(({ range }) => range && !satisfies(OLDEST_NODE, range))).toEqual([]);
});

test('Each dependency is pinned to one version: below 1.0 any release may change its interface', () => {
  const wanted = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(wanted.filter(([, range]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(range))).toEqual([]);
});
