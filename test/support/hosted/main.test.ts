import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { drawSkin } from '../server/drawn-skins.ts';
import { TestCaller } from '../server/test-caller.ts';
import { ended, submit } from './run-hosted.ts';

const MAIN = `${import.meta.dirname}/main.ts`;

test('The imitation of a hosted service, run as a program, prints its address, keeps records, and ends on request', async () => {
  const child = execa(process.execPath, [MAIN, '{"serviceTime":5}'], {
    reject: false,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await child.stdout.take(1).toArray();
  const { url, key } = JSON.parse(String(line)) as { url: string; key: string };
  const caller = new TestCaller(url, { key, isOurs: false });
  await ended(caller, await submit(caller, 1));
  const { bytes } = await caller.get('/_records');
  expect(JSON.parse(bytes.toString('utf8'))).toMatchObject({
    accepted: [{ pixels: pixelHash(drawSkin(1)) }],
    mostUnfinished: 1,
  });
  child.kill('SIGTERM');
  expect((await child).exitCode).toBe(0);
});

test('The imitation of a hosted service, run as a program, refuses an unknown option', async () => {
  const { exitCode, stderr } = await execa(process.execPath, [MAIN, '{"worker":1}'], { reject: false });
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('"worker"')]);
});
