import { describe, expect, test } from 'vitest';
import { HAS_POSTGRES, ownDatabase } from '../../support/postgres/own-database.ts';
import { LogLines } from '../../support/server/log-lines.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** What a server with a PostgreSQL store warns of when it starts. */
async function warnings(publicUrl?: string): Promise<string> {
  const logStream = new LogLines();
  const store = { url: await ownDatabase(), connections: 3 };
  await runServer({ store, logStream, logLevel: 'warn', ...(publicUrl !== undefined && { publicUrl }) });
  return logStream.text;
}

describe.runIf(HAS_POSTGRES)('A server that may be one of several', () => {
  test('warns that the address of its textures is its own, if it is told no other', async () => {
    expect(await warnings()).toContain('--public-url');
    expect(await warnings('https://skins.example')).toBe('');
  });
});
