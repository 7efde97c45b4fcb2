import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { AccountClient } from '../../src/client/account-client.ts';
import { NetworkError } from '../../src/client/errors.ts';
import { SkinClient } from '../../src/client/skin-client.ts';
import type { JobEvent } from '../../src/client/types.ts';
import type { ServerOptions } from '../../src/server/server.ts';
import { decodePng } from '../../src/skin/png/decode.ts';
import { pixelHash } from '../../src/skin/read-skin.ts';
import { ask, send } from '../support/http/adapters/asking.ts';
import { WAYS, type Way } from '../support/http/adapters/both-ways.ts';
import { collectGarbage } from '../support/server/collect-garbage.ts';
import { drawSkin, skinPng } from '../support/server/drawn-skins.ts';
import { poll } from '../support/server/poll.ts';
import { readZip } from '../support/server/read-zip.ts';
import { guardAgainstLeaks } from '../support/server/running-server.ts';

guardAgainstLeaks();

const EVENTS = '/v2/queue/events';
const NO_RETRY = { budget: 0, patience: 0 };

function clientOf({ origin, fetch, key }: Way): SkinClient {
  return new SkinClient({ baseUrl: origin, fetch, apiKey: key, insecureHttp: true, retry: NO_RETRY });
}

/** What a promise is rejected with. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** The client's account, once it has this many skins. */
async function withSkins(client: SkinClient, skins: number): Promise<AccountClient> {
  for (let n = 0; n < skins; n++) await client.generate({ file: skinPng(n) });
  return client.account;
}

/** Changes everything in a value that can be changed. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    spoil(field);
    Reflect.set(value, name, 'spoilt');
  }
  if (Array.isArray(value)) value.length = 0;
}

describe.each(Object.entries(WAYS))('A request %s', (_, open) => {
  const openWith = async (options: Partial<ServerOptions> = {}) => await open(options);

  test('is not sent when its signal has been aborted', async () => {
    const way = await openWith({ workers: 0 });
    const signal = AbortSignal.abort(new Error('enough'));
    const failure = await failureOf(clientOf(way).queue({ file: skinPng(1) }, {}, { signal }));
    expect(failure).toMatchObject({ message: 'enough' });
    expect(await clientOf(way).jobs()).toEqual([]);
  });

  test('ends with the reason of its signal while it waits; its job continues', async () => {
    const way = await openWith({ workers: 0 });
    const client = clientOf(way);
    const stop = new AbortController();
    const waiting = failureOf(client.generate({ file: skinPng(1) }, {}, { signal: stop.signal }));
    const isQueued = (jobs: readonly unknown[]) => jobs.length === 1;
    await poll(async () => await client.jobs(), isQueued);
    stop.abort(new Error('enough'));
    expect(await waiting).toMatchObject({ message: 'enough' });
    expect(await client.jobs()).toMatchObject([{ status: 'waiting' }]);
  });

  test('leads to the texture of a skin', async () => {
    const way = await openWith();
    const client = clientOf(way);
    const { skin } = await client.generate({ file: skinPng(1) });
    expect(skin.texture.url.skin).toMatch(/^http:\/\/skins\.invalid\/textures\/[0-9a-f]{64}$/);
    const { headers } = await ask(way, {
      method: 'GET',
      path: `/v2/skins/${skin.uuid}/texture`,
      key: way.key,
    });
    expect(headers['location']).toBe(new URL(skin.texture.url.skin).pathname);
    expect(pixelHash(decodePng(await client.skinTexture(skin.uuid)))).toBe(pixelHash(drawSkin(1)));
  });

  test('is answered beside many others', async () => {
    const client = clientOf(await openWith());
    const numbers = Array.from({ length: 5 }, (_, n) => n);
    const made = await Promise.all(numbers.map((n) => client.generate({ file: skinPng(n) })));
    const hashes = made.map(({ skin }) => skin.texture.hash.skin);
    expect(hashes).toEqual(numbers.map((n) => pixelHash(drawSkin(n))));
  });

  test('shares nothing with its caller', async () => {
    const way = await openWith();
    const bytes = Buffer.from(skinPng(1));
    const content = { fields: { name: 'Mine' }, file: { bytes, fileName: 'a.png' } };
    const sent = send(way, { method: 'POST', path: '/v2/generate', key: way.key, content });
    content.fields.name = 'Theirs';
    bytes.fill(0);
    const first = await sent;
    expect(first.status).toBe(200);
    const paths = [
      '/v2/me',
      '/v2/account/plans',
      '/v2/account/me',
      '/v2/skins',
      '/v2/queue',
      '/v2/stats',
      '/',
    ];
    for (const path of paths) {
      const before = structuredClone(await ask(way, { method: 'GET', path, key: way.key }));
      spoil((await ask(way, { method: 'GET', path, key: way.key })).body);
      expect(await ask(way, { method: 'GET', path, key: way.key })).toEqual(before);
    }
  });

  test('for events reports jobs until its reader leaves', async () => {
    const client = clientOf(await openWith());
    const heard: JobEvent['type'][] = [];
    for await (const event of client.events()) {
      heard.push(event.type);
      if (event.type === 'jobs') await client.queue({ file: skinPng(1) });
      else if (event.state.job.status === 'completed') break;
    }
    expect(heard[0]).toBe('jobs');
    expect(heard.length).toBeGreaterThan(1);
  });

  test('for events ends with its signal', async () => {
    const client = clientOf(await openWith());
    const stop = new AbortController();
    const listening = async () => {
      for await (const _event of client.events({ signal: stop.signal })) stop.abort(new Error('enough'));
    };
    expect(await failureOf(listening())).toMatchObject({ message: 'enough' });
  });

  test('for events ends with its signal also when nobody keeps the request', async () => {
    const client = clientOf(await openWith());
    const stop = new AbortController();
    const listening = async () => {
      for await (const _event of client.events({ signal: stop.signal })) opened.resolve();
    };
    const opened = Promise.withResolvers<void>();
    const failure = failureOf(listening());
    await opened.promise;
    collectGarbage();
    stop.abort(new Error('enough'));
    expect(await failure).toMatchObject({ message: 'enough' });
  });

  test('for events ends with the service', async () => {
    const way = await openWith();
    const client = clientOf(way);
    for await (const event of client.events()) if (event.type === 'jobs') void way.close();
    await way.close();
  });

  test('for an export has the whole file, in as many parts as the service writes', async () => {
    const account = await withSkins(clientOf(await openWith()), 3);
    const files = readZip(await buffer(account.exportSkins('zip')));
    expect(files.size).toBe(3 + 1);
    expect(String(await buffer(account.exportSkins('lock')))).toBe(String(files.get('skins.lock')));
  });

  test('for an export frees its place when the reader leaves', async () => {
    const account = await withSkins(clientOf(await openWith()), 1);
    const leave = async () => {
      for await (const _chunk of account.exportSkins('zip')) return;
    };
    for (let left = 4; left > 0; left--)
      await poll(
        async () => await failureOf(leave()),
        (failure) => failure === undefined,
      );
  });

  test('is refused by a service that has ended', async () => {
    const way = await openWith();
    await way.close();
    expect(await failureOf(clientOf(way).me())).toBeInstanceOf(NetworkError);
  });

  test('that waits is answered when the service stops', async () => {
    const way = await openWith({ workers: 0 });
    const client = clientOf(way);
    const waiting = ask(way, {
      method: 'POST',
      path: '/v2/generate',
      key: way.key,
      content: { fields: {}, file: { bytes: skinPng(1), fileName: 'a.png' } },
    });
    await poll(
      async () => await client.jobs(),
      (jobs) => jobs.length === 1,
    );
    const closing = way.close();
    expect(await waiting).toMatchObject({ status: 500, body: { errors: [{ code: 'generator_timeout' }] } });
    await closing;
  });

  test('has its file and JSON refused when they are too large', async () => {
    const way = await openWith();
    const path = '/v2/queue';
    const bytes = Buffer.alloc(256 * 1024 + 1);
    const contents = [
      { fields: {}, file: { bytes, fileName: 'a.png' } },
      { json: { url: 'x'.repeat(128 * 1024) } },
    ];
    for (const content of contents) {
      expect(await ask(way, { method: 'POST', path, key: way.key, content })).toMatchObject({
        status: 413,
        body: { success: false, errors: [{ code: 'invalid_file' }] },
      });
    }
  });

  test(`asks for ${EVENTS} by HEAD without opening a stream`, async () => {
    const way = await openWith();
    const { status, headers, body } = await ask(way, { method: 'HEAD', path: EVENTS, key: way.key });
    expect({ status, type: headers['content-type'], body }).toEqual({
      status: 200,
      type: 'text/event-stream',
      body: '',
    });
  });
});
