import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { codeBlocks } from '../support/docs/code-blocks.ts';
import { hostedWorkshop } from '../support/program/batches.ts';
import { ROOT } from '../support/program/call-program.ts';
import { Repository } from '../support/program/repository.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { testWhole } from '../support/setup/extent.ts';

const BLOCKS = codeBlocks(await readFile(join(ROOT, 'docs/ci.md'), 'utf8'));

/** Runs the script of the GitLab job, as a runner does. */
async function runGitlab(repository: Repository) {
  const job = BLOCKS.find(({ code }) => code.includes('$CI_DEFAULT_BRANCH'))?.code ?? '';
  const script = [...job.slice(job.indexOf('script:')).matchAll(/^ {4}- (.*)$/gm)].map(([, line]) => line);
  const { clone, env, program } = await repository.runner();
  const typed = script.join('\n').replace(/npx --yes skinsmith@\S+/g, program);
  return await execa(
    'bash',
    ['-e', '-c', typed.replace('https://api.mineskin.org', repository.service.url)],
    {
      cwd: clone,
      extendEnv: false,
      reject: false,
      all: true,
      env: {
        ...env,
        ...{ MINESKIN_KEY: repository.service.key, SKINS_TOKEN: 'token', CI_DEFAULT_BRANCH: 'main' },
        ...{ CI_SERVER_HOST: 'gitlab.example', CI_PROJECT_PATH: 'ann/skins' },
        ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_VALUE_0: 'https://skins:token@gitlab.example/ann/skins.git' },
        GIT_CONFIG_KEY_0: `url.${repository.remote}.insteadOf`,
      },
    },
  );
}

// Otherwise docs/commands knows the words of the job.
testWhole('The job for GitLab CI commits what it has made, and fails for a broken picture', async () => {
  const repository = await Repository.make();
  const { shop } = repository;
  await shop.drawMany('examples', 4);
  await repository.push();
  expect(await runGitlab(repository)).toMatchObject({ exitCode: 0 });
  expect(await runGitlab(repository)).toMatchObject({ exitCode: 0 }); // nothing to commit
  await repository.pull();
  await repository.remove('examples/01.png');
  await shop.write('examples/broken.png', 'no picture');
  await shop.draw({ 'examples/new': 9 });
  await repository.push();
  expect(await runGitlab(repository)).toMatchObject({ exitCode: 1 });
  expect(await repository.sources()).toEqual(['02.png', '03.png', '04.png', 'new.png']);
  expect(await repository.log()).toEqual([
    ...['Begin', 'Draw skins', 'Sign skins [skip ci]', 'Draw skins', 'Sign skins [skip ci]'],
  ]);
  expect(repository.paid).toEqual([5, 0]);
});

const UNITS = BLOCKS.filter(({ language }) => language === 'ini').map(({ code }) => code);

test('systemd accepts the timer and its service without warnings', async () => {
  const folder = await ownFolder();
  const paths: string[] = [];
  for (const unit of UNITS) {
    const [, name = ''] = /^# .*\/(skins\.\w+)$/m.exec(unit) ?? [];
    await writeFile(join(folder, name), unit.replace(/^(ExecStart=)\S+/m, `$1${process.execPath}`));
    paths.push(join(folder, name));
  }
  expect(paths).toHaveLength(2);
  // It is silent where systemd is not installed.
  const said = await new Promise<string>((resolve) => {
    execFile('systemd-analyze', ['verify', '--man=no', ...paths], (_error, _stdout, stderr) =>
      resolve(stderr),
    );
  });
  expect(said).toBe('');
});

test("The command of the timer's service makes new skins, and none the next time", async () => {
  const { shop, service } = await hostedWorkshop({ serviceTime: 5 });
  await shop.drawMany('pictures', 3);
  const [, line = ''] = /^ExecStart=\S+ (.*)$/m.exec(UNITS.join('\n')) ?? [];
  for (const _ of [1, 2]) expect((await shop.run(...line.split(' '))).exitCode).toBe(0);
  expect([await shop.lock('signed/skins.lock'), service.records.accepted]).toMatchObject([
    { length: 3 },
    { length: 3 },
  ]);
});
