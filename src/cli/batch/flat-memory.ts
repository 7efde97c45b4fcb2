import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap from growing ahead of what is in use: pictures are large and live short, and V8 would rather
 * collect hundreds of megabytes of them than clean up more often. Over 30,000 files it takes no longer so, and
 * 140 MB instead of 290 (measured). For plans only: beside the embedded service the heap is large, and cleaning
 * up so often costs a fifth of the time.
 */
export function keepMemoryFlat(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=10');
}
