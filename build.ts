import { hash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'rolldown';
import { describeLicences, describePackages } from './bundle/licences.ts';
import { drawPagePictures } from './bundle/pictures.ts';

/**
 * Builds dist/ (`node build.ts`) as two bundles: the program, which includes all its dependencies so that it starts
 * fast, and the library entry, whose two dependencies stay external so that a program that uses them has one copy.
 */

/** Threads start from their code itself, in an address: a single executable has no files that Node could start them from. */
function threads(): Plugin {
  return {
    name: 'threads',
    transform: async (code, id) => {
      if (!/-thread\.ts$/.test(id)) return null;
      const [place = '', name = ''] = /new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/.exec(code) ?? [];
      const { output } = await build({
        platform: 'node',
        input: join(dirname(id), `${name}.ts`),
        write: false,
        output: { format: 'esm', minify },
      });
      threadModules.push(...output[0].moduleIds);
      const address = `data:text/javascript,${encodeURIComponent(output[0].code)}`;
      return code.replace(place, () => `new URL(${JSON.stringify(address)})`);
    },
  };
}

/** The modules of all threads, whose licences count too. */
const threadModules: string[] = [];

/** Files of the package are found from the program, which lies in dist/chunks/. */
function packageFiles(): Plugin {
  return {
    name: 'package-files',
    transform: (code, id) =>
      /commands.version\.ts$/.test(id)
        ? code.replace(/new URL\('\.\.\/\.\.\/\.\.\/([^']*)'/, "new URL('../../$1'")
        : null,
  };
}

/** Collects the licences of all bundled packages, which must be distributed with the bundle, and lists the packages. */
function passOnLicences({ hasThreads = false } = {}): Plugin {
  return {
    name: 'pass-on-licences',
    generateBundle(_options, bundle) {
      const own = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const modules = [...own, ...(hasThreads ? threadModules : [])];
      const folders = modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
      const packages = [...new Set(folders)].sort();
      const [licences, bill] = [describeLicences(packages), describePackages(packages)];
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES.txt', source: licences });
      this.emitFile({ type: 'asset', fileName: 'bill-of-materials.cdx.json', source: bill });
    },
  };
}

/**
 * An older Node refuses a file that imports an unknown name before any of it runs. So the program looks up names of
 * Node's modules after it has checked the version.
 */
function lateNames(): Plugin {
  return {
    name: 'late-names',
    renderChunk: (code) =>
      code.replaceAll(
        /^import \{([^}]*)\} from "(node:[\w/]+)";$/gm,
        (_line, names: string, module: string) => {
          const id = module.replaceAll(/\W/g, '_');
          return `import ${id} from "${module}";\nconst {${names.replaceAll(' as ', ': ')}} = ${id};`;
        },
      ),
  };
}

/** The library opens the program's service. They share requests and answers, which are Node's own. */
function programService(): Plugin {
  return {
    name: 'program-service',
    resolveId: (id) => (id.endsWith('/server/embedded.ts') ? { id: './embedded.cjs', external: true } : null),
  };
}

const minify = { compress: true, mangle: false, codegen: true } as const;

/** Those that pages name. */
const PAGE_SCRIPTS = ['page', 'make', 'skin-viewer'] as const;

const bundles: readonly BuildOptions[] = [
  {
    platform: 'node',
    input: { cli: 'src/cli/program.ts', embedded: 'src/server/embedded.ts' },
    plugins: [threads(), packageFiles(), passOnLicences({ hasThreads: true })],
    output: {
      dir: 'dist',
      // CommonJS, because an import of a Node module reads all its exports: that of node:http loads fetch and web sockets,
      // and `generate` takes a fifth longer.
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'chunks/[name]-[hash].cjs',
      cleanDir: true,
      dynamicImportInCjs: false, // a require, which does not start Node's loader of ECMAScript modules
      // What many commands share is in few files instead of a hundred: reading and checking each takes Node a quarter of a
      // millisecond. Running one that a command does not need takes longer still (the schemas in `shared`: 20 ms). What
      // prints the version loads none of them, completion in a shell only the first two, and only what needs the server its.
      codeSplitting: {
        groups: [
          {
            name: 'core',
            priority: 3,
            test: /src\/(?:base\/version|cli\/(?:program|history|context\/(?:context|data-owner)|options\/option-values|terminal\/(?:io|messages)))\.ts/,
          },
          {
            name: 'settings',
            priority: 2,
            test: /src\/cli\/(?:config\/settings|output\/(?:format-names|reports\/report))\.ts/,
          },
          { name: 'shared', priority: 1, test: /src\/(?:base|client|dispatch|protocol|textures|game)\// },
          { name: 'commands', test: /src\/(?:batch|cli|skin)\//, minShareCount: 5 },
          { name: 'server', test: /src\/(?:html|server)\//, minShareCount: 3 },
        ],
      },
      minify,
    },
  },
  {
    platform: 'node',
    input: { start: 'src/cli/start.ts' },
    external: ['./cli.cjs'],
    output: { dir: 'dist', format: 'cjs', entryFileNames: '[name].cjs', minify },
  },
  {
    platform: 'node',
    input: { index: 'src/index.ts', testing: 'src/testing.ts' },
    external: ['undici', 'zod'],
    plugins: [lateNames(), programService()],
    // Keeps lines, because Node prints the one that throws, and debuggers show them.
    output: {
      dir: 'dist',
      format: 'esm',
      banner: "import '../bin/library-node.js';",
      comments: { legal: true, annotation: true, jsdoc: false },
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    },
  },
  {
    platform: 'browser',
    input: Object.fromEntries(PAGE_SCRIPTS.map((name) => [name, `src/pages/browser/${name}.ts`])),
    plugins: [passOnLicences()],
    output: {
      dir: 'dist/pages',
      format: 'esm',
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      // One request for all that both scripts use.
      codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
      minify: true,
    },
  },
];

/** Later rules win. */
const STYLES = [
  'base.css',
  'frame.css',
  'parts.css',
  'lists.css',
  'skins.css',
  'own-pages.css',
  'skin-page.css',
  'many.css',
];

for (const bundle of bundles) await build(bundle);
finishPages('dist/pages', await drawPagePictures());

/** Adds styles and pictures with content hashes in their names, lists everything, and compresses it. */
function finishPages(folder: string, pictures: Readonly<Record<string, Buffer>>): void {
  const names: Record<string, string> = {};
  const read = (files: readonly string[]) =>
    Buffer.concat(files.map((file) => readFileSync(join('src/pages/style', file))));
  const sources = { 'style.css': read(STYLES), 'icon.svg': read(['icon.svg']), ...pictures };
  for (const [name, content] of Object.entries(sources)) {
    names[name] = name.replace('.', `-${hash('sha256', content).slice(0, 8)}.`);
    writeFileSync(join(folder, names[name]), content);
  }
  const served = readdirSync(folder).filter((name) => /\.(?:js|css|svg|png|ico)$/.test(name));
  for (const name of served) {
    writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }));
    rmSync(join(folder, name));
  }
  for (const script of PAGE_SCRIPTS)
    names[`${script}.js`] = served.find((name) => name.startsWith(`${script}-`)) ?? '';
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ names, served }));
}
