// The start of the thread that looks at files (see stat-thread.ts).
import { statSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { MemoryLines } from './memory-lines.ts';
import { placeOf, type StatJob } from './stat-thread.ts';

parentPort?.on('message', ({ text, folder, trusted, unchanged }: StatJob) => {
  const lines = new MemoryLines(Buffer.from(text.buffer, text.byteOffset, text.length));
  lines.eachPath((path, entry) => {
    if (!path.startsWith(folder)) return;
    const stamp = statSync(path, { throwIfNoEntry: false });
    if (!stamp?.isFile() || Math.max(stamp.mtimeMs, stamp.ctimeMs) > trusted) return;
    if (lines.hasStamp(entry, stamp)) unchanged[placeOf(entry)] = 1;
  });
});
