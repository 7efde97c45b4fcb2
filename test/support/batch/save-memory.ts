/** A program of its own: saves a memory of files again and again, with entries that bear the name given. */
import { FileMemory } from '../../../src/base/file-memory.ts';

const [, , path = '', name = ''] = process.argv;
for (let round = 0; round < 100; round++) {
  const memory = FileMemory.open(path, () => Date.now());
  const stamp = { size: 1234, mtimeMs: 1000, ctimeMs: 1000, ino: 987_654_321 };
  memory.remember(`/${name}/${round}`, stamp, 'f'.repeat(64));
  memory.save();
}
