import { execa, type ResultPromise } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { skinPng } from '../server/drawn-skins.ts';
import { killAgainAndAgain, planDeaths } from './killing.ts';
import { runHosted } from './run-hosted.ts';

/** Submits one picture without end. On a slow machine a connection may be closed just before its next use. */
const SUBMIT = `for (;;) {
  const body = new FormData();
  body.set('file', new Blob([Buffer.from(process.env.PNG, 'base64')]), 'skin.png');
  const headers = { authorization: 'Bearer ' + process.env.KEY };
  const sent = fetch(process.env.URL + '/v2/queue', { method: 'POST', body, headers });
  await sent.then((answer) => answer.text()).catch(() => {});
}`;

function runScript(script: string, env: Record<string, string> = {}): ResultPromise {
  const args = ['--input-type=module', '--eval', script];
  const child = execa(process.execPath, args, { env, reject: false });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('Every run is killed after its part of the work is done', async () => {
  const service = await runHosted({ serviceTime: 0, known: 'nothing' });
  const env = { PNG: skinPng(1).toString('base64'), KEY: service.key, URL: service.url };
  const killing = { seed: 3, times: 6, submissions: 200 };
  const goals = planDeaths(killing).map((death) => (death.at === 'start' ? 0 : death.accepted));
  const acceptedAtStart: number[] = [];
  const start = () => {
    acceptedAtStart.push(service.records.accepted.length);
    return runScript(SUBMIT, env);
  };
  await killAgainAndAgain(start, service, killing);
  const acceptedAtDeath = [...acceptedAtStart.slice(1), service.records.accepted.length];
  expect(acceptedAtDeath.filter((accepted, run) => accepted < goals[run]!)).toEqual([]);
  expect(acceptedAtDeath).toHaveLength(6);
});

test('A run that ends by itself is an error, which says how it ended', async () => {
  const service = await runHosted();
  const start = () => runScript("process.stderr.write('all done'); process.exitCode = 5;");
  await expect(killAgainAndAgain(start, service, { seed: 5, times: 3, submissions: 10 })).rejects.toThrow(
    /^Run 1 ended by itself with status 5, before .*all done$/,
  );
});

test('The same seed plans the same kills, another seed plans others', () => {
  const plan = (seed: number) => planDeaths({ seed, times: 10, submissions: 300 });
  expect(plan(1)).toEqual(plan(1));
  expect(plan(1)).not.toEqual(plan(2));
});
