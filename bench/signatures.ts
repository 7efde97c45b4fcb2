/** `node signatures.ts COUNT THREADS`: prints how long COUNT signatures take on THREADS threads; milliseconds. */
import { generateKeyPairSync } from 'node:crypto';
import { signValue } from '../src/textures/signing-key.ts';

/** The length of a textures value. */
const VALUE = 'x'.repeat(300);

const [count = '', threads = ''] = process.argv.slice(2);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });

async function signUntilDone(): Promise<void> {
  while (left-- > 0) await signValue(VALUE, privateKey);
}

let left = Number(count);
const start = performance.now();
// One more than the threads, so that no thread waits for this one.
await Promise.all(Array.from({ length: Number(threads) + 1 }, signUntilDone));
process.stdout.write(`${performance.now() - start}\n`);
