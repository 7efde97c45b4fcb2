import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CheckingRelay } from '../support/program/checking-relay.ts';
import { freshMachine } from '../support/program/program.ts';
import { capePng } from '../support/server/drawn-capes.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { runServer } from '../support/server/running-server.ts';

/** A machine whose commands reach a service over the relay; each must exit with the status given. */
async function relayedMachine() {
  const { url, key = '' } = await runServer();
  const relay = await CheckingRelay.to({ url });
  const machine = await freshMachine();
  const env = { SKINSMITH_BASE_URL: relay.url, SKINSMITH_API_KEY: key };
  const run = async (line: string, status = 0): Promise<string> => {
    const { exitCode, stdout, stderr } = await machine.run(line.split(' '), { env, cwd: machine.folder });
    expect([line, exitCode, stderr]).toEqual([line, status, expect.any(String)]);
    return stdout;
  };
  const put = async (name: string, content: Uint8Array) =>
    await writeFile(join(machine.folder, name), content);
  return { relay, run, put };
}

type Machine = Awaited<ReturnType<typeof relayedMachine>>;

async function makeSkins({ run, put }: Machine): Promise<void> {
  for (const n of [1, 2, 3]) await put(`${n}.png`, skinPng(n));
  const { uuid } = JSON.parse(await run('generate 1.png --json')) as { uuid: string };
  await run('queue --wait 1.png 2.png 3.png --out made');
  const [job] = (await run('queue 2.png --name another')).split('\t');
  await run(`status --wait ${job}`);
  await run('jobs');
  await run('skins list');
  await run('skins list --public');
  await run(`skins get ${uuid}`);
  await run(`skins edit ${uuid} --visibility private`);
  await run(`skins download ${uuid}`);
  await run('skins export');
  await run('skins export skins.lock');
  await run(`skins delete --yes ${uuid}`);
  await run(`skins get ${uuid}`, 1);
}

async function manageUsers({ run }: Machine): Promise<void> {
  await run('whoami');
  await run('users create bob');
  await run('users list');
  await run('users get bob');
  await run('users edit bob --plan pro');
  await run('users invite bob');
  await run('users uninvite bob');
  await run('users disable bob');
  await run('users enable bob');
  const { id } = JSON.parse(await run('keys create ci --user bob --json')) as { id: string };
  await run('keys list --user bob');
  await run(`keys edit ${id} --name other`);
  await run(`keys revoke ${id}`);
}

async function manageCapes({ run, put }: Machine): Promise<void> {
  await put('cape.png', capePng(1));
  const { uuid } = JSON.parse(await run('capes create cape.png --alias Test --json')) as { uuid: string };
  await run('capes list');
  await run(`capes edit ${uuid} --hide`);
  await run(`capes delete ${uuid}`);
  await run('accounts list');
}

test('All answers that the program gets match the published contract and the description', async () => {
  const machine = await relayedMachine();
  await Promise.all([makeSkins(machine), manageUsers(machine), manageCapes(machine)]);
  expect(machine.relay.faults).toEqual([]);
  expect([...machine.relay.operations].toSorted()).toEqual([
    'delete /v2/account/capes/{uuid}',
    'delete /v2/account/keys/{id}',
    'delete /v2/account/users/{name}/invitation',
    'delete /v2/skins/{uuid}',
    'get /',
    'get /textures/{hash}',
    'get /v2/account/accounts',
    'get /v2/account/capes',
    'get /v2/account/keys',
    'get /v2/account/users',
    'get /v2/account/users/{name}',
    'get /v2/capes',
    'get /v2/me',
    'get /v2/me/skins',
    'get /v2/me/skins.lock',
    'get /v2/me/skins.zip',
    'get /v2/queue',
    'get /v2/queue/events',
    'get /v2/queue/{jobId}',
    'get /v2/skins',
    'get /v2/skins/{uuid}',
    'get /v2/skins/{uuid}/texture',
    'patch /v2/account/capes/{uuid}',
    'patch /v2/account/keys/{id}',
    'patch /v2/account/users/{name}',
    'patch /v2/skins/{uuid}',
    'post /v2/account/capes',
    'post /v2/account/keys',
    'post /v2/account/users',
    'post /v2/account/users/{name}/invitation',
    'post /v2/queue',
  ]);
});
