/** `node signatures.ts KEY COUNT THREADS`: prints how long so many signatures take, so many at a time; milliseconds. */
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { signValue } from '../src/textures/signature.ts';

/** As long as a textures value. */
const VALUE = 'x'.repeat(300);

const [keyPath = '', count = '', threads = ''] = process.argv.slice(2);
const key = createPrivateKey(readFileSync(keyPath));

async function signUntilDone(): Promise<void> {
  while (left-- > 0) await signValue(VALUE, key);
}

let left = Number(count);
const start = performance.now();
// One more than threads, so that none waits for this one's turn.
await Promise.all(Array.from({ length: Number(threads) + 1 }, signUntilDone));
process.stdout.write(`${performance.now() - start}\n`);
