import { setFlagsFromString } from 'node:v8';

/**
 * Limits heap growth. Images are large and short-lived, and by default V8 lets hundreds of megabytes of them pile up
 * before it collects. With the limit, 30,000 files take no longer and use 140 MB instead of 290 (measured). Only for
 * plans: the embedded service needs a large heap, and collecting that often would cost a fifth of the time.
 */
export function keepMemoryFlat(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=10');
}
