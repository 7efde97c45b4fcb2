import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { allOf, entriesOf, manyEntries, openAt, ownPath, textOf } from '../support/batch/lockfile-entries.ts';
import { childProgram } from '../support/program/child-program.ts';
import { testWhole } from '../support/setup/extent.ts';
import { isWhole } from '../support/setup/whole-run.ts';

const PROGRAM = childProgram('rewrite-forever');
const STATES = (['even', 'odd'] as const).map((state) => textOf(manyEntries(state)));
const HOURS = 60 * 60 * 1000;

function startRewriting(path: string, ...diesAfter: string[]) {
  const child = execa(process.execPath, [PROGRAM, path, ...diesAfter], { reject: false, encoding: 'buffer' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Temporary files beside the lockfile. */
function leftoversOf(path: string): string[] {
  return readdirSync(dirname(path))
    .filter((name) => name !== basename(path))
    .map((name) => join(dirname(path), name));
}

/** How many moments the program is killed at. */
const KILLS = isWhole ? 6 : 1;

/** Kills the program at all of them, and once while it is sure to write: the lockfile must be whole each time. */
async function killOften(path: string): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    const child = startRewriting(path);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await sleep(isWhole ? kill * 13 : 13); // any moment will do
    child.kill('SIGKILL');
    await child;
    expect(STATES).toContain(readFileSync(path, 'utf8'));
  }
  for (const state of STATES) {
    writeFileSync(path, state);
    await startRewriting(path, '1400'); // writes only from one of the two: the other is what it begins with
    expect(readFileSync(path, 'utf8')).toBe(state);
  }
  expect(leftoversOf(path)).not.toEqual([]);
}

test('A lockfile is complete whenever the process that rewrites it is killed, and leftover files are removed', async () => {
  const path = await ownPath(STATES[0]);
  await killOften(path);
  const earlier = new Date(Date.now() - 2 * HOURS);
  // Elsewhere the process may be one of another machine, as far as can be known.
  if (process.platform !== 'linux') for (const file of leftoversOf(path)) utimesSync(file, earlier, earlier);
  expect((await openAt(path)).size).toBe(1500);
  expect(leftoversOf(path)).toEqual([]);
});

// The states above, between which it dies as well, notice the same kind of fault.
testWhole.each(['0', '1', '700', '1499'])(
  'A lockfile is unchanged when the process that rewrites it dies before change %s',
  async (change) => {
    const before = entriesOf('a.png', 'skins/0001.png');
    const path = await ownPath(textOf(before));
    expect((await startRewriting(path, change)).signal).toBe('SIGKILL');
    expect(allOf(await openAt(path))).toEqual(before);
  },
);
