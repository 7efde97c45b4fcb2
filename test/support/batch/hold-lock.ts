/** A separate program: takes a lock, says whether it got it, and holds it until it is stopped or killed. */
import { once } from 'node:events';
import { acquireLock } from '../../../src/base/process-lock.ts';

const [, , path = '', about = ''] = process.argv;
const held = await acquireLock(path, about);
process.stdout.write('release' in held ? 'held\n' : `lost to ${held.holder?.about}\n`);
if ('release' in held) {
  await once(process.stdin, 'data');
  held.release();
}
process.stdin.destroy();
