import { QueueFile } from '../../../src/dispatch/peers.ts';

/**
 * A process that opens the shared queue in a folder and says whether it is alone: `open-queue-file.ts FOLDER`. It does
 * so at the time that it reads from standard input, in milliseconds since the epoch, to the millisecond.
 */
const [folder = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
process.stdin.once('data', async (time) => {
  while (Date.now() < Number(time));
  let why = 'shared';
  const file = await QueueFile.open(folder, (reason) => {
    why = reason;
  });
  file.close();
  process.stdout.write(why);
  process.exit();
});
