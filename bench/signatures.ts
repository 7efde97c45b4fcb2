/** `node signatures.ts KEY COUNT THREADS`: prints how long COUNT signatures take on THREADS threads; milliseconds. */
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { signValue } from '../src/textures/signature.ts';

/** The length of a textures value. */
const VALUE = 'x'.repeat(300);

const [keyPath = '', count = '', threads = ''] = process.argv.slice(2);
const key = createPrivateKey(readFileSync(keyPath));

async function signUntilDone(): Promise<void> {
  while (left-- > 0) await signValue(VALUE, key);
}

let left = Number(count);
const start = performance.now();
// One more than the threads, so that no thread waits for this one.
await Promise.all(Array.from({ length: Number(threads) + 1 }, signUntilDone));
process.stdout.write(`${performance.now() - start}\n`);
