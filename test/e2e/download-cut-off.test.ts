import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { freshMachine, type Machine, PROGRAM } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { runServer } from '../support/server/running-server.ts';
import { webServer } from '../support/server/web-server.ts';
import { testWhole } from '../support/setup/extent.ts';

interface Desk {
  readonly machine: Machine;
  readonly url: string;
  readonly uuid: string;
  /** An empty folder. */
  readonly out: string;
}

/** A machine, and a service with a public skin. */
async function openDesk(): Promise<Desk> {
  const { owner, url } = await runServer();
  const uuid = String((await owner.upload('/v2/generate', skinPng(1))).body.skin?.uuid);
  const machine = await freshMachine();
  const out = join(machine.folder, 'textures');
  await mkdir(out);
  return { machine, url, uuid, out };
}

/** The same service behind a connection that breaks in the middle of every texture. */
async function breakTextures(url: string): Promise<string> {
  const relay = await webServer(async (request, response) => {
    const answer = await fetch(`${url}${request.url}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const isTexture = answer.headers.get('content-type') === 'image/png';
    response.writeHead(answer.status, {
      'content-type': String(answer.headers.get('content-type')),
      'content-length': bytes.length,
    });
    if (isTexture) response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    else response.end(bytes);
  });
  return relay.url;
}

test('A texture that is cut off leaves no file, and the command says so', async () => {
  const { machine, url, uuid, out } = await openDesk();
  const args = ['skins', 'download', uuid, '--out', out, '--base-url', await breakTextures(url)];
  const { exitCode, stdout, stderr } = await machine.run(args);
  expect([exitCode, stdout]).toEqual([75, '']);
  expect(stderr).toMatch(/^error: /m);
  expect(await readdir(out)).toEqual([]);
});

// Otherwise base/files knows a full disk.
testWhole('A texture that the disk has no room for leaves no file, and the command says so', async () => {
  const { machine, url, uuid, out } = await openDesk();
  const words = ['skins', 'download', uuid, '--out', out, '--base-url', url];
  const { exitCode, stdout, stderr } = await execa(
    'bash',
    ['-c', 'ulimit -f 0; exec "$@"', 'bash', ...PROGRAM, ...words],
    { env: machine.env, extendEnv: false, reject: false },
  );
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain('The file would exceed the maximum size.');
  expect(await readdir(out)).toEqual([]);
});
