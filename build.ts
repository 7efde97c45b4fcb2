import { hash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type ChunkingContext, type Plugin } from 'rolldown';
import { minify as shorten } from 'rolldown/utils';
import { asciiOnly } from './bundle/ascii-only.ts';
import { lazyRequires } from './bundle/lazy-requires.ts';
import { describeLicences } from './bundle/licences.ts';
import { lighter } from './bundle/lighter.ts';

/**
 * Builds dist/ (`node build.ts`) as two bundles: the program, which includes all its dependencies so that it starts
 * fast, and the library entry, whose two dependencies stay external so that a program that uses them has one copy.
 */

/** Threads start from files of their own, beside the program. */
const WORKERS = {
  'render-worker': 'src/server/pictures/render-worker.ts',
  'signing-worker': 'src/server/generators/signing/signing-worker.ts',
} as const;

function workers(): Plugin {
  return {
    name: 'workers',
    transform: (code, id) =>
      /-thread\.ts$/.test(id) ? code.replace(/'\.\/(\w+-worker)\.ts'/, "'../$1.cjs'") : null,
  };
}

/** A service keeps all files, by the program's own loader. */
function keepAllFiles(): Plugin {
  return {
    name: 'keep-all-files',
    transform: (code, id) =>
      /keep-all-files\.ts$/.test(id) ? code.replace('createRequire(here)', 'require') : null,
  };
}

/** Pages are served from a folder beside the program. */
function pageAssets(): Plugin {
  return {
    name: 'page-assets',
    transform: (code, id) =>
      /pages.assets.assets\.ts$/.test(id) ? code.replace("'../../../../dist/pages/'", "'../pages/'") : null,
  };
}

/**
 * A module that builds schemas when it is loaded becomes a file of its own, like all routes: so a command builds those
 * that it uses. One that is imported dynamically is the start of a file already.
 */
function ownFile(id: string, context: ChunkingContext): string | null {
  const [, path] = /[\\/]src[\\/](.+)\.ts$/.exec(id) ?? [];
  if (path === undefined || context.getModuleInfo(id)?.dynamicImporters.length !== 0) return null;
  const isOwn = path.includes('routes') || /^import \{ z \} from 'zod'/m.test(readFileSync(id, 'utf8'));
  return isOwn ? path.replaceAll(/[\\/]/g, '-') : null;
}

/** Shortens the local names in packages. Ours stay as they are, so that stack traces can be read. */
function shortNames(): Plugin {
  const mangle = { toplevel: false, keepNames: true } as const;
  return {
    name: 'short-names',
    transform: async (code, id) => {
      if (!/[\\/]node_modules[\\/].*\.[cm]?js$/.test(id)) return null;
      const module = /^(?:import|export)\b/m.test(code);
      const short = await shorten(id, code, { module, compress: false, mangle, codegen: false });
      return { code: short.code, map: null };
    },
  };
}

/** Collects the licences of all bundled packages, which must be distributed with the bundle. */
function passOnLicences(): Plugin {
  return {
    name: 'pass-on-licences',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const folders = modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
      const source = describeLicences([...new Set(folders)].sort());
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES.txt', source });
    },
  };
}

/** Lists the modules in each file of the bundle, for the test of what commands load. Not published. */
function listModules(): Plugin {
  return {
    name: 'list-modules',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const modules = chunks.map(({ fileName, moduleIds }) => [
        fileName,
        moduleIds.map((id) => relative(process.cwd(), id).replaceAll('\\', '/')),
      ]);
      const source = JSON.stringify(Object.fromEntries(modules));
      this.emitFile({ type: 'asset', fileName: 'modules.json', source });
    },
  };
}

const minify = { compress: true, mangle: false, codegen: true } as const;

const bundles: readonly BuildOptions[] = [
  {
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    transform: { define: { esbuildDetection: 'true' } }, // undici's switch for bundles: one parser instead of two
    input: { cli: 'src/cli/main.ts', ...WORKERS },
    plugins: [
      lighter(),
      workers(),
      pageAssets(),
      keepAllFiles(),
      lazyRequires(),
      shortNames(),
      passOnLicences(),
      asciiOnly(),
      listModules(),
    ],
    output: {
      dir: 'dist',
      // CommonJS, because importing a Node module reads all its exports: for node:http this loads fetch and web sockets
      // and takes 60 ms, against 6 for a require.
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'chunks/[name]-[hash].cjs',
      cleanDir: true,
      dynamicImportInCjs: false, // the program's own loader has no import()
      codeSplitting: {
        groups: [{ debugName: 'own files', name: ownFile, includeDependenciesRecursively: false }],
      },
      minify,
    },
  },
  {
    platform: 'node',
    input: { start: 'src/cli/starting/start.ts' },
    plugins: [lazyRequires(), asciiOnly()],
    output: { dir: 'dist', format: 'cjs', entryFileNames: '[name].cjs', minify },
  },
  {
    platform: 'node',
    input: { index: 'src/index.ts' },
    external: ['undici', 'zod'],
    // Lines as they were written: Node prints the one that has thrown, and a debugger shows them.
    output: {
      dir: 'dist',
      format: 'esm',
      comments: { legal: true, annotation: true, jsdoc: false },
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    },
  },
  {
    platform: 'browser',
    input: { page: 'src/server/pages/browser/page.ts' },
    plugins: [passOnLicences()],
    output: {
      dir: 'dist/pages',
      format: 'esm',
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      minify: true,
    },
  },
];

/** Later ones win. */
const STYLES = ['base.css', 'frame.css', 'parts.css', 'lists.css', 'skins.css', 'own-pages.css'];

for (const bundle of bundles) await build(bundle);
finishPages('dist/pages');

/** Adds style and icon under names that change with their content, lists everything, and keeps it compressed. */
function finishPages(folder: string): void {
  const names: Record<string, string> = {};
  const sources = { 'style.css': STYLES, 'icon.svg': ['icon.svg'] };
  for (const [name, files] of Object.entries(sources)) {
    const content = files.map((file) => readFileSync(join('src/server/pages/style', file), 'utf8')).join('');
    names[name] = name.replace('.', `-${hash('sha256', content).slice(0, 8)}.`);
    writeFileSync(join(folder, names[name]), content);
  }
  const served = readdirSync(folder).filter((name) => /\.(?:js|css|svg)$/.test(name));
  for (const name of served) {
    writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }));
    rmSync(join(folder, name));
  }
  names['page.js'] = served.find((name) => name.startsWith('page-')) ?? '';
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ names, served }));
}
