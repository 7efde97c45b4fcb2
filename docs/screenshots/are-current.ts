/**
 * Fails when the pages have changed since they were photographed. Pixels differ a little with each run, so it is what
 * they are made from that is compared.
 */
import { readFile } from 'node:fs/promises';
import { digestOfInputs, RECORD } from './inputs.ts';

if ((await readFile(RECORD, 'utf8')).trim() !== (await digestOfInputs())) {
  process.stderr.write('The pages have changed since they were photographed. Run: npm run screenshots\n');
  process.exitCode = 1;
}
