import { readFileSync } from 'node:fs';

/** What a file of JSON lines has in it. */
export function readLines(path: string): unknown[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}
