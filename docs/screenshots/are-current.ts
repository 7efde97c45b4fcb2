/**
 * Fails if the pages have changed since the last screenshots. Pixels differ a little with each run, so it compares the
 * sources.
 */
import { readFile } from 'node:fs/promises';
import { digestOfInputs, RECORD } from './inputs.ts';

if ((await readFile(RECORD, 'utf8')).trim() !== (await digestOfInputs())) {
  process.stderr.write('The pages have changed since the last screenshots. Run: npm run screenshots\n');
  process.exitCode = 1;
}
