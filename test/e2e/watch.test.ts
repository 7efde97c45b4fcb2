import { expect, it } from 'vitest';
import { freshMachine, saying } from './program.ts';

it('jobs --watch shows each job as it changes, until it is interrupted', async () => {
  const machine = await freshMachine();
  const { url, key } = await machine.serve(['--pace', '300']);
  const env = { SKINSMITH_BASE_URL: url, SKINSMITH_API_KEY: key };
  expect(await machine.run(['queue', 'examples/smith.png', '--quiet'], { env })).toMatchObject({
    exitCode: 0,
  });

  const watching = machine.start(['jobs', '--watch', '--json'], { env });
  const said = await saying(watching, 'stdout', /"completed"/);
  const [first, last] = said
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toMatchObject({
    source: 'examples/smith.png',
    status: expect.stringMatching(/waiting|processing/),
  });
  expect(last).toMatchObject({ job: first?.['job'], status: 'completed', uuid: expect.any(String) });

  watching.kill('SIGINT');
  expect(await watching).toMatchObject({ exitCode: 130 });
});
