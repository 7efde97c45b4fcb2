import { onTestFinished } from 'vitest';
import { SkinClient } from '../../../src/client/skin-client.ts';
import { type EmbeddedOptions, openEmbeddedService } from '../../../src/server/embedded.ts';
import { NO_GAME } from '../fake-game/nowhere.ts';
import { storeFor } from './chosen-store.ts';
import { ownFolder } from './own-folder.ts';
import { drawInOneThread, giveMaterials, usualKey } from './running-server.ts';
import type { Heard } from './test-caller.ts';

const URL_OF_NOBODY = 'http://embedded.invalid';

export interface EmbeddedUnderTest extends Awaited<ReturnType<typeof openEmbeddedService>> {
  readonly dataDir: string;
  /** Sends its requests without a key. */
  readonly client: SkinClient;
  /** Sends a request with JSON, or a GET; by default without a key. */
  ask(path: string, options?: { json?: unknown; key?: string | undefined }): Promise<Heard>;
}

/** The embedded service over a data folder of its own, closed when the test ends. */
export async function runEmbedded(options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedUnderTest> {
  const dataDir = options.dataDir ?? (await ownFolder());
  if (options.dataDir === undefined) await giveMaterials(dataDir, options);
  const service = await openEmbeddedService({
    gameAddresses: NO_GAME,
    draw: drawInOneThread,
    signingKey: usualKey(dataDir),
    ...(await storeFor(dataDir)),
    ...options,
    dataDir,
  });
  const { fetch } = service;
  let closing: Promise<void> | undefined;
  const close: typeof service.close = async (how) => {
    closing ??= service.close(how);
    await closing;
  };
  onTestFinished(async () => await close({ limit: 1_000 }));
  const client = new SkinClient({ fetch });
  onTestFinished(async () => await client.close());
  return {
    fetch,
    close,
    dataDir,
    client,
    ask: async (path, { json, key } = {}) => await heard(await fetch(requestOf(path, json, key))),
  };
}

function requestOf(path: string, json: unknown, key: string | undefined): Request {
  return new Request(URL_OF_NOBODY + path, {
    method: json === undefined ? 'GET' : 'POST',
    headers: {
      'user-agent': 'skinsmith-tests/1',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
}

async function heard(answer: Response): Promise<Heard> {
  const { status, headers } = answer;
  const bytes = Buffer.from(await answer.arrayBuffer());
  const isJson = headers.get('content-type')?.startsWith('application/json') === true;
  const body = (isJson ? JSON.parse(bytes.toString()) : {}) as Heard['body'];
  return { status, headers: Object.fromEntries(headers), bytes, body };
}
