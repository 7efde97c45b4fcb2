import { defineConfig } from 'rolldown';

/**
 * Two bundles: the program, with everything it needs inside (starting fast is a feature), and the
 * library entry, whose two dependencies stay outside so that a program that uses them has one copy.
 */
const common = {
  platform: 'node',
  output: { dir: 'dist', format: 'esm', minify: { compress: true, mangle: false, codegen: true } },
} as const;

export default defineConfig([
  {
    ...common,
    input: { cli: 'src/cli/main.ts' },
    output: { ...common.output, chunkFileNames: 'chunks/[name]-[hash].js', cleanDir: true },
  },
  { ...common, input: { index: 'src/index.ts' }, external: ['undici', 'zod'] },
]);
