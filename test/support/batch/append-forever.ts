/**
 * A program of its own: appends results to the journal given, one after the other, and prints the number of each
 * once it is there. It runs until it is killed.
 */
import { Journal } from '../../../src/batch/journal.ts';
import { keyOf, recordOf } from './journal-records.ts';

const journal = Journal.open(process.argv[2] ?? '');
const first = Number(process.argv[3]);

for (let number = first; ; number++) {
  journal.intent(keyOf(number), 0, number);
  journal.accepted(keyOf(number), 0, `job ${number}`);
  journal.done(recordOf(number));
  process.stdout.write(`${number}\n`);
  await new Promise(setImmediate); // lets stdout go out
}
