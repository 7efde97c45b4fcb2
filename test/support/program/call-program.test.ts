import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freshMachine } from './program.ts';

/** A service that answers only when the test lets it. */
async function silentService(): Promise<{ url: string; asked: Promise<unknown[]> }> {
  const open: ServerResponse[] = [];
  const server = createServer((_, response) => void open.push(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const response of open) response.writeHead(404).end();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked: once(server, 'request') };
}

test('A command that does not end leaves the folder, environment and streams of the process as they were', async () => {
  const { url, asked } = await silentService();
  const machine = await freshMachine();
  const { env, stdout, stderr, stdin } = process;
  const before = { folder: process.cwd(), env: { ...env } };
  const patience = new AbortController();
  const call = machine.run(['whoami', '--base-url', url], { cwd: machine.folder, signal: patience.signal });
  await asked;
  patience.abort();
  await expect(call).rejects.toThrow(/^skinsmith whoami --base-url \S+ does not end/);
  expect({ folder: process.cwd(), env: { ...process.env } }).toEqual(before);
  const streams = [process.stdout, process.stderr, process.stdin];
  expect(streams.map((stream, n) => stream === [stdout, stderr, stdin][n])).toEqual([true, true, true]);

  expect(await machine.run(['--version'])).toMatchObject({ exitCode: 0 });
});
