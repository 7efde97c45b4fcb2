import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type LocalKind, localValues } from '../../../../src/cli/commands/complete.ts';
import { ConfigFile } from '../../../../src/cli/config/settings.ts';
import { JobSources, SeenNames } from '../../../../src/cli/history.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

/** What a machine has stored, and what is completed from that. */
async function machine() {
  const folder = await ownFolder();
  const configFile = new ConfigFile(join(folder, 'config'));
  const context = {
    jobSources: new JobSources(folder),
    configFile: async () => configFile,
    seenNames: new SeenNames(folder),
  };
  const values = async (kind: LocalKind, previous = '') =>
    (await localValues(kind, previous, context, folder)).map(({ value }) => value);
  return { folder, values, ...context, configFile };
}

test('On a new machine only built-in values are completed', async () => {
  const { values } = await machine();
  for (const kind of ['jobs', 'skins', 'services', 'users', 'keys', 'capes', 'accounts'] as const)
    expect(await values(kind)).toEqual([]);
  expect(await values('settings')).toContain('base-url');
});

test('Completion offers the jobs that this machine submitted, the newest first', async () => {
  const { values, jobSources } = await machine();
  await jobSources.record([{ job: 'one', source: 'a.png' }]);
  await jobSources.record([{ job: 'two', source: 'b.png' }]);
  expect(await values('jobs')).toEqual(['two', 'one']);
});

test('Completion offers skins from lockfiles in this folder and one folder down, and from earlier lists', async () => {
  const { folder, values, seenNames } = await machine();
  await mkdir(join(folder, 'signed'));
  await writeFile(join(folder, 'skins.lock'), '{"source":"a.png","uuid":"aa"}\n<<<<<<< torn\n');
  await writeFile(join(folder, 'signed', 'skins.lock'), '{"source":"b.png","uuid":"bb"}\n{"source":"c.p');
  await seenNames.add('skins', [{ value: 'cc', about: 'Smith' }]);
  expect(await values('skins')).toEqual(['aa', 'bb', 'cc']);
});

test('A pipe, a folder or a loop that is named like a lockfile is skipped', async () => {
  const { folder, values } = await machine();
  const pipe = join(folder, 'skins.lock');
  execFileSync('mkfifo', [pipe]);
  // Whoever waits for a writer goes on.
  onTestFinished(() => closeSync(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)));
  await mkdir(join(folder, 'a', 'skins.lock'), { recursive: true });
  await mkdir(join(folder, 'b'));
  await symlink('skins.lock', join(folder, 'b', 'skins.lock'));
  await mkdir(join(folder, 'c'));
  await writeFile(join(folder, 'c', 'skins.lock'), '{"source":"c.png","uuid":"cc"}\n');
  expect(await values('skins')).toEqual(['cc']);
});

test('Completion offers the service that is set and each service with a stored key, and shows no key', async () => {
  const { values, configFile } = await machine();
  await configFile.set('base-url', 'https://one.example');
  await configFile.keepKey('https://two.example', 'a-secret');
  await configFile.keepKey('https://one.example', 'another');
  expect(await values('services')).toEqual(['https://one.example', 'https://two.example']);
  expect(await values('setting-values', 'base-url')).toEqual(['https://one.example', 'https://two.example']);
});

test('The value of a setting is completed according to the setting', async () => {
  const { values } = await machine();
  expect(await values('setting-values', 'color')).toEqual(['auto', 'always', 'never']);
  expect(await values('setting-values', 'format')).toContain('skinsrestorer');
  expect(await values('setting-values', 'slots')).toEqual([]);
  expect(await values('setting-values', 'no-such-setting')).toEqual([]);
});

test('Completion offers only the newest 20 jobs', async () => {
  const { values, jobSources } = await machine();
  for (let i = 0; i < 205; i++) await jobSources.record([{ job: `job-${i}`, source: 'a.png' }]);
  const jobs = await values('jobs');
  expect([jobs.length, jobs[0]]).toEqual([20, 'job-204']);
});
