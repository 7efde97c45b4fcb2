/**
 * Runs the service's tests and writes seen-codes.json from the answers that they get: `npm run compatibility:codes`.
 * Some requests are random, so a code that only those found may be missing the next time.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDERS = ['test/service', 'test/server', 'test/contract', 'test/on-postgres'];

const folder = mkdtempSync(join(tmpdir(), 'skinsmith-codes-'));
try {
  const path = join(folder, 'codes.ndjson');
  writeFileSync(path, '');
  const env = { ...process.env, RECORD_CODES: path };
  const { status } = spawnSync('vitest', ['run', ...FOLDERS], { cwd: ROOT, env, stdio: 'inherit' });
  if (status === 0) save(summaryOf(path));
  else process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

function save(summary: string): void {
  const path = join(import.meta.dirname, 'seen-codes.json');
  writeFileSync(path, summary);
  spawnSync('biome', ['format', '--write', path], { cwd: ROOT, stdio: 'inherit' });
}

/** Converts the lines `[operation, code]` to JSON: by operation, sorted, each code once. */
function summaryOf(path: string): string {
  const byOperation = new Map<string, Set<string>>();
  for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    const [operation, code] = JSON.parse(line) as [string, string];
    byOperation.set(operation, (byOperation.get(operation) ?? new Set()).add(code));
  }
  const sorted = [...byOperation].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const codes = Object.fromEntries(sorted.map(([operation, seen]) => [operation, [...seen].toSorted()]));
  return `${JSON.stringify(codes, null, 2)}\n`;
}
