import { mkdir, readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
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
  /** Of a service with two skins. */
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** An empty folder. */
  readonly out: string;
}

async function openDesk(): Promise<Desk> {
  const { owner, url, key } = await runServer();
  for (const n of [1, 2]) await owner.upload('/v2/generate', skinPng(n));
  const machine = await freshMachine();
  const out = join(machine.folder, 'out');
  await mkdir(out);
  return { machine, url, env: { SKINSMITH_API_KEY: String(key) }, out };
}

/** The same service behind a connection that carries only the first half of exports. `end`: what comes then. */
async function halveExports(url: string, end: (response: ServerResponse) => void): Promise<string> {
  const relay = await webServer(async (request, response) => {
    const { authorization = '' } = request.headers;
    const answer = await fetch(`${url}${request.url}`, { headers: { authorization } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { 'content-type': String(answer.headers.get('content-type')) });
    const isExport = /^\/v2\/me\/skins\./.test(String(request.url));
    if (isExport) response.write(bytes.subarray(0, bytes.length / 2), () => end(response));
    else response.end(bytes);
  });
  return relay.url;
}

const ENDS = {
  breaks: (response: ServerResponse) => void response.destroy(),
  'ends as if it was whole': (response: ServerResponse) => void response.end(),
} as const;

test.each(
  (['zip', 'lock'] as const).flatMap((format) =>
    (Object.keys(ENDS) as (keyof typeof ENDS)[]).map((how) => [format, how] as const),
  ),
)('A %s that %s in the middle leaves no file, and the command says so', async (format, how) => {
  const { machine, url, env, out } = await openDesk();
  const file = join(out, `skins.${format}`);
  const args = ['skins', 'export', file, '--base-url', await halveExports(url, ENDS[how])];
  const { exitCode, stdout, stderr } = await machine.run(args, { env });
  expect([exitCode, stdout]).toEqual([75, '']);
  expect(stderr).toMatch(/^error: .+\nhint: /);
  expect(await readdir(out)).toEqual([]);

  const told = await machine.run([...args, '--json'], { env });
  expect(JSON.parse(told.stderr)).toMatchObject({
    error: { code: expect.any(String), hint: expect.any(String) },
  });
});

// Otherwise base/files knows a full disk.
testWhole('An export that does not fit on the disk leaves the old file unchanged', async () => {
  const { machine, url, env, out } = await openDesk();
  const file = join(out, 'skins.zip');
  expect(await machine.run(['skins', 'export', file, '--base-url', url], { env })).toMatchObject({
    exitCode: 0,
  });
  const old = await readFile(file);
  const words = [...PROGRAM, 'skins', 'export', file, '--overwrite'];
  const { exitCode, stderr } = await execa(
    'bash',
    ['-c', 'ulimit -f 0; exec "$@"', 'bash', ...words, '--base-url', url],
    { env: { ...machine.env, ...env }, extendEnv: false, reject: false },
  );
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The file would exceed the maximum size.')]);
  expect(await readdir(out)).toEqual(['skins.zip']);
  expect((await readFile(file)).equals(old)).toBe(true);
});
