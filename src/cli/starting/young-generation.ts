import { setFlagsFromString } from 'node:v8';

/** Milliseconds after which a command has loaded what it needs. */
const STARTED = 200;

/**
 * Has V8's space for new objects stay as large as it is once a command has started. V8 would let it grow to 48 MB in a
 * long batch, where it makes nothing faster: a thousand skins with the embedded service take 160 MB instead of 200. A
 * server, which allocates more at a time, keeps V8's own rule.
 */
export function keepYoungGenerationSmall(argv: readonly string[]): void {
  if (argv.includes('serve')) return;
  setTimeout(() => setFlagsFromString('--semi-space-growth-factor=1'), STARTED).unref();
}
