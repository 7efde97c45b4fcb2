import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { onTestFinished, test } from 'vitest';
import { FileMemory } from '../../src/base/file-memory.ts';
import type { StatJob } from '../../src/base/stat-thread.ts';
import { DIGEST } from '../support/base/file-memories.ts';
import { ROOT } from '../support/program/program.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { poll } from '../support/server/poll.ts';

const DIST = join(ROOT, 'dist');

/** The files that are started as threads by the code in a folder of `dist/`. */
function startedBy(folder: string): string[] {
  const codes = readdirSync(folder).filter((file) => /^stat-thread-.*\.c?js$/.test(file));
  const names = codes.flatMap(
    (file) => /[\w./-]+stat-worker\.c?js/.exec(readFileSync(join(folder, file), 'utf8')) ?? [],
  );
  return names.map((name) => join(folder, name));
}

// Without its thread the program works the same way, only slower, so nothing else would notice.
test.each([
  ['program', join(DIST, 'chunks')],
  ['library', DIST],
])('the thread of the built %s looks at files', async (_, folder) => {
  const [file = ''] = startedBy(folder);
  const worker = new Worker(file);
  onTestFinished(async () => void (await worker.terminate()));
  const path = join(await ownFolder(), 'files.bin');
  const seen = import.meta.filename;
  const memory = FileMemory.open(path, () => Date.now());
  memory.rememberOwn(seen, statSync(seen), DIGEST);
  memory.save();
  const unchanged = new Uint8Array(new SharedArrayBuffer(64));
  const trusted = Number.POSITIVE_INFINITY;
  worker.postMessage({ text: readFileSync(path), folder: ROOT, trusted, unchanged } satisfies StatJob);
  await poll(
    () => unchanged.includes(1),
    (isSeen) => isSeen,
  );
});
