import { expect, test } from 'vitest';
import { freshMachine, saying } from '../support/program/program.ts';

test('jobs --watch shows each job as it changes, until it is interrupted, which is no error', async () => {
  const machine = await freshMachine();
  const { url, key } = await machine.serve(['--workers', '0']);
  const env = { SKINSMITH_BASE_URL: url, SKINSMITH_API_KEY: key };
  expect(await machine.run(['queue', 'examples/smith.png', '--quiet'], { env })).toMatchObject({
    exitCode: 0,
  });

  const watching = machine.start(['jobs', '--watch', '--json'], { env });
  const first = JSON.parse(await saying(watching, 'stdout', /\n/)) as Record<string, unknown>;
  expect(first).toMatchObject({ source: 'examples/smith.png', status: 'waiting' });
  const completed = saying(watching, 'stdout', /"completed".*\n/);
  // Its embedded service makes the job.
  expect(await machine.run(['status', String(first['job']), '--wait'])).toMatchObject({ exitCode: 0 });
  const last = JSON.parse((await completed).trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
  expect(last).toMatchObject({ job: first['job'], status: 'completed', uuid: expect.any(String) });

  watching.kill('SIGINT');
  expect(await watching).toMatchObject({ exitCode: 0, stderr: '' });
});
