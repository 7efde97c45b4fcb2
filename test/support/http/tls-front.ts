import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { onTestFinished } from 'vitest';

const FILES = join(import.meta.dirname, '../../fixtures/tls');
/** The authority that has signed the certificate of skins.test. */
export const SKINS_TEST_CA = join(FILES, 'skins-test-ca.pem');

/** Speaks TLS as skins.test in front of a service on this machine, until the test ends. Returns its port. */
export async function tlsFront(
  { url }: { readonly url: string },
  certificate: 'skins-test' | 'skins-test-expired' = 'skins-test',
): Promise<number> {
  const [cert, key] = await Promise.all(
    [`${certificate}.pem`, 'skins-test-key.pem'].map((name) => readFile(join(FILES, name))),
  );
  const sockets = new Set<Socket>();
  const server = createServer({ cert, key }, (near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.add(near).add(far);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
  });
  server.on('tlsClientError', () => {}); // who does not accept the certificate
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
