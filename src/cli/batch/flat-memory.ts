import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from letting the young generation grow: pictures are large and live short, and it would rather collect
 * hundreds of megabytes of them than clean up more often, which costs no time here (measured over 30,000 files).
 */
export function keepMemoryFlat(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
