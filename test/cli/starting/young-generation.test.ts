import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { ROOT } from '../../support/program/program.ts';

/** Prints how many MB V8 gives to new objects, after many of them have lived for a while. */
const SCRIPT = `
  import { setTimeout } from 'node:timers/promises';
  import { getHeapSpaceStatistics } from 'node:v8';
  import { keepYoungGenerationSmall } from '${join(ROOT, 'src/cli/starting/young-generation.ts')}';
  keepYoungGenerationSmall([process.argv[1]]);
  await setTimeout(400);
  const recent = [];
  for (let i = 0; i < 1_000_000; i++) recent[i % 200_000] = { i };
  const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  console.log(space_size / 2 ** 20);
`;

async function megabytesOf(command: string): Promise<number> {
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', SCRIPT, command]);
  return Number(stdout);
}

test('The space for new objects stays small in a command, and grows as V8 likes in a server', async () => {
  const [command, server] = await Promise.all([megabytesOf('generate'), megabytesOf('serve')]);
  expect(command).toBeLessThan(8);
  expect(server).toBeGreaterThan(8);
});
