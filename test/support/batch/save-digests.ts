/** A separate program: saves a cache of digests again and again, with entries of the given name. */
import { DigestCache } from '../../../src/base/digest-cache.ts';

const [, , path = '', name = ''] = process.argv;
for (let round = 0; round < 100; round++) {
  const cache = new DigestCache(path, Date.now());
  const stamp = { size: 1234, mtimeMs: 1000, ctimeMs: 1000, ino: 987_654_321 };
  cache.set(`/${name}/${round}`, stamp, 'f'.repeat(64));
  cache.save();
}
