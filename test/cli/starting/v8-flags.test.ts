import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { ROOT } from '../../support/program/program.ts';

/** Prints how many MB V8 gives to new objects, after many of them have lived for a while. */
const SCRIPT = `
  import { setTimeout } from 'node:timers/promises';
  import { getHeapSpaceStatistics } from 'node:v8';
  import { V8Flags } from '${join(ROOT, 'src/cli/starting/v8-flags.ts')}';
  new V8Flags().setWhenStarted([process.argv[1]], process.argv[2]);
  await setTimeout(400);
  const recent = [];
  for (let i = 0; i < 1_000_000; i++) recent[i % 200_000] = { i };
  const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  console.log(space_size / 2 ** 20);
`;

async function megabytesOf(command: string, node = process.versions.node): Promise<number> {
  const args = ['--input-type=module', '--eval', SCRIPT, command, node];
  const { stdout, stderr } = await execa(process.execPath, args);
  expect(stderr).toBe(''); // V8 names flags that it does not know
  return Number(stdout);
}

test('The space for new objects stays small in a command, and grows as V8 likes in a server and in an unknown Node', async () => {
  const [command, server, unknown] = await Promise.all([
    megabytesOf('generate'),
    megabytesOf('serve'),
    megabytesOf('generate', '99.0.0'),
  ]);
  expect(command).toBeLessThan(8);
  expect(server).toBeGreaterThan(8);
  expect(unknown).toBeGreaterThan(8);
});
