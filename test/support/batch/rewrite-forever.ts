/**
 * A program of its own: rewrites a lockfile between two states for ever, or kills itself in the middle of a
 * rewrite, after as many changes as are given. A dot for each rewrite.
 */
import { Lockfile } from '../../../src/batch/lockfile/lockfile.ts';
import { manyEntries } from './lock-entry.ts';

const [, , path = '', diesAfter] = process.argv;

function* dying(state: 'even' | 'odd') {
  for (const [n, entry] of manyEntries(state).entries()) {
    if (diesAfter !== undefined && n === Number(diesAfter)) process.kill(process.pid, 'SIGKILL');
    yield entry;
  }
}

const lockfile = await Lockfile.open(path);
for (let round = 0; ; round++) {
  lockfile.rewrite(dying(round % 2 === 0 ? 'even' : 'odd'), () => true);
  process.stdout.write('.');
}
