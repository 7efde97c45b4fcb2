import { describe, expect, test } from 'vitest';
import { foreignFile } from '../../support/base/foreign-file.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { LogLines } from '../../support/server/log-lines.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** What a server with a PostgreSQL store warns of when it starts. */
async function warnings(publicUrl?: string, passwordFile?: string): Promise<string> {
  const logStream = new LogLines();
  const url = new URL(await ownDatabase());
  if (passwordFile !== undefined) url.searchParams.set('passfile', passwordFile);
  const store = { url: url.href, connections: 3 };
  await runServer({ store, logStream, logLevel: 'warn', ...(publicUrl !== undefined && { publicUrl }) });
  return logStream.text;
}

describe('A server that may be one of several', () => {
  test('warns that the address of its textures is its own, unless another is set', async () => {
    expect(await warnings()).toContain('--public-url');
    expect(await warnings('https://skins.example')).toBe('');
  });

  test('warns once of a secret that others can read', async () => {
    const text = await warnings('https://skins.example', await foreignFile('*:*:*:*:geheim'));
    expect(text.match(/Other users of this machine can read/g)).toHaveLength(1);
  });
});
