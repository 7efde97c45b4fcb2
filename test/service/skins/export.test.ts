import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { lockEntrySchema } from '../../../src/protocol/lock-line.ts';
import { exportAnswer, zipArchive } from '../../../src/server/http/downloads.ts';
import { KnownAddresses, SHARES, Turns } from '../../../src/server/pools.ts';
import { anonymousCaller, userCaller } from '../../../src/server/service/callers.ts';
import { Plans } from '../../../src/server/service/plans.ts';
import {
  type ExportContext,
  Exports,
  exportSkins,
  exportThese,
  packInTurn,
  Reading,
} from '../../../src/server/service/skins/export.ts';
import { Searches } from '../../../src/server/service/skins/skins.ts';
import { findUserByName } from '../../../src/server/store/sessions.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { fingerprintOf, parsePublicKey } from '../../../src/textures/signing-key.ts';
import { freshMachine } from '../../support/program/program.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { readZip } from '../../support/server/read-zip.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const nobody = new KnownAddresses(() => 0);

const SKINS = [
  { name: 'hat', visibility: 'public' },
  { name: 'hat', visibility: 'public' },
  { name: '-a b. c', visibility: 'private' },
  { visibility: 'unlisted' },
] as const;

/** A server whose owner has these skins; their UUIDs. */
async function withSkins(): Promise<{ server: ServerUnderTest; uuids: string[] }> {
  const server = await runServer();
  const uuids: string[] = [];
  for (const [n, fields] of SKINS.entries())
    uuids.push((await server.owner.upload('/v2/generate', skinPng(n), { ...fields })).body.skin!.uuid);
  return { server, uuids };
}

const linesOf = (bytes: Buffer) =>
  bytes
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => lockEntrySchema.parse(JSON.parse(line)));

describe('GET /v2/me/skins.zip', () => {
  test('holds every picture, and the data in a skins.lock that the program verifies', async () => {
    const { server, uuids } = await withSkins();
    const { status, headers, bytes } = await server.owner.get('/v2/me/skins.zip');
    expect([status, headers]).toMatchObject([
      200,
      {
        'content-type': 'application/zip',
        'content-disposition': 'attachment; filename="skins.zip"',
        'cache-control': 'no-store',
      },
    ]);
    const files = readZip(bytes);
    const short = uuids.map((uuid) => uuid.slice(0, 8));
    const pictures = [`hat-${short[0]}`, `hat-${short[1]}`, `_a_b_c-${short[2]}`, short[3]];
    const names = pictures.map((name) => `skins/${name}.png`);
    expect([...files.keys()].sort()).toEqual([...names, 'skins.lock'].sort());
    for (const [n, name] of names.entries())
      expect(pixelHash(decodePng(files.get(name)!))).toBe(pixelHash(drawSkin(n)));
    expect(linesOf(files.get('skins.lock')!).map(({ uuid }) => uuid)).toEqual(uuids.toReversed());

    const machine = await freshMachine();
    await mkdir(join(machine.folder, 'skins'));
    for (const [name, content] of files) await writeFile(join(machine.folder, name), content);
    const env = { SKINSMITH_BASE_URL: server.url, SKINSMITH_API_KEY: String(server.key) };
    const lock = join(machine.folder, 'skins.lock');
    const verified = await machine.run(['verify', lock], { env });
    expect([verified.exitCode, verified.stderr]).toEqual([0, expect.stringContaining('4')]);
    const found = ['generate', '--frozen', '--lock', lock, '--format', 'signature', names[0]!, names[1]!];
    const words = found.map((word) => (word.startsWith('skins/') ? join(machine.folder, word) : word));
    expect(await machine.run(words, { env })).toMatchObject({ exitCode: 0 });
  });

  test('says where the next part begins', async () => {
    const { server, uuids } = await withSkins();
    const { context, caller } = await insideOf(server, new Exports(nobody, 3));
    const { skins, end } = await exportSkins(context, caller, {});
    const partAfter = (after: string) => `http://x/?after=${after}`;
    const zip = await buffer(zipArchive(skins, { partAfter }));
    end();
    const files = readZip(zip);
    expect(files.size).toBe(3 + 2);
    const [, after = ''] = /after=(\S+)/.exec(String(files.get('MORE.txt'))) ?? [];
    expect(zip.toString('latin1')).toMatch(new RegExp(`after=${after}$`));
    const rest = await server.owner.get(`/v2/me/skins.lock?after=${after}`);
    expect(linesOf(rest.bytes).map(({ uuid }) => uuid)).toEqual([uuids[0]]);
  });
});

describe('GET /v2/me/skins.lock', () => {
  test('has the caller’s own skins that match, and says who signed them', async () => {
    const { server, uuids } = await withSkins();
    const other = await server.user('other');
    await other.upload('/v2/generate', skinPng(9));
    const hats = linesOf((await server.owner.get('/v2/me/skins.lock?filter=hat&variant=classic')).bytes);
    expect(hats.map(({ uuid }) => uuid)).toEqual([uuids[1], uuids[0]]);
    expect(hats[0]).toMatchObject({ service: server.url, signer: server.url, name: 'hat' });
    const published = (await server.anonymous().get('/')).body as { signaturePublickey: string };
    expect(hats[0]?.key).toBe(fingerprintOf(parsePublicKey(published.signaturePublickey)));
    const hidden = await server.owner.get('/v2/me/skins.lock?visibility=private');
    expect(linesOf(hidden.bytes)).toMatchObject([
      { uuid: uuids[2], options: { variant: 'auto', visibility: 'private' } },
    ]);
    expect((await server.owner.send('HEAD', '/v2/me/skins.lock')).status).toBe(200);
  });

  test('is only for callers who may read their skins', async () => {
    const server = await runServer();
    expectRefusal(await server.anonymous().get('/v2/me/skins.lock'), 'unauthorized');
    expectRefusal(await server.owner.get('/v2/me/skins.lock?filtre=hat'), 'validation_error');
    const { body } = await server.owner.json('/v2/account/keys', { scopes: ['generate'] });
    const headers = { authorization: `Bearer ${body.key?.secret}` };
    expectRefusal(await server.owner.get('/v2/me/skins.lock', headers), 'insufficient_grants');
    expect((await server.owner.get('/v2/me/skins.lock')).bytes).toHaveLength(0);
  });

  test('leaves out what the operator has blocked', async () => {
    const { server, uuids } = await withSkins();
    const hash = pixelHash(drawSkin(1));
    expect((await server.owner.json('/v2/account/blocked-images', { hash })).status).toBe(200);
    const { bytes } = await server.owner.get('/v2/me/skins.lock?filter=hat');
    expect(linesOf(bytes).map(({ uuid }) => uuid)).toEqual([uuids[0]]);
  });
});

describe('exports', () => {
  test('are limited to two at once for a user, and sixteen for all', async () => {
    const server = await runServer();
    const { context, caller } = await insideOf(server, new Exports(nobody));
    const { end } = await exportSkins(context, caller, {});
    await exportSkins(context, caller, {});
    await expect(exportSkins(context, caller, {})).rejects.toMatchObject({ code: 'concurrency_limit' });
    end();
    end(); // counts once
    await exportSkins(context, caller, {});
    await expect(exportSkins(context, caller, {})).rejects.toMatchObject({ code: 'concurrency_limit' });
    for (let others = 0; others < 14; others++) context.exports.begin({ ...caller, owner: `user:${others}` });
    const stranger = { ...caller, owner: 'user:stranger' };
    await expect(exportSkins(context, stranger, {})).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

test('An export that is read slowly gives its place to another stranger after ten seconds', () => {
  const clock = new MovableClock();
  const exports = new Exports(nobody);
  const callerAt = (address: string) => anonymousCaller({ address, origin: undefined }, new Plans());
  const ended: number[] = [];
  const readings = Array.from({ length: 6 }, (_, number) => {
    const reading = new Reading(clock);
    reading.whenDropped(() => void ended.push(number));
    exports.begin(callerAt(`192.0.2.${number}`), reading);
    return reading;
  });
  expect(exports.begin(callerAt('192.0.2.9'))).toBe('all');
  for (const [number, reading] of readings.entries()) reading.add(number === 3 ? 1_000 : 1_000_000);
  clock.forward(10_001);
  expect([typeof exports.begin(callerAt('192.0.2.9')), ended]).toEqual(['function', [3]]);
  expect(exports.begin(callerAt('192.0.2.10'))).toBe('all');
});

test('No pack is made for a caller who has left', async () => {
  const server = await runServer();
  const { context, caller } = await insideOf(server, new Exports(nobody));
  const made: string[] = [];
  const [gone, waiting] = [new AbortController(), new AbortController()];
  const pack = async (name: string, { signal }: AbortController) =>
    await packInTurn(context, caller, { make: async () => made.push(name), signal });
  const first = pack('first', waiting);
  const second = pack('second', gone);
  gone.abort();
  await expect(second).rejects.toMatchObject({ code: 'service_unavailable' });
  await first;
  expect(made).toEqual(['first']);
});

test('An export reads skins only when it has a place, and frees it if reading fails', async () => {
  const exports = new Exports(nobody);
  const { context, caller } = await insideOf(await runServer(), exports);
  let reads = 0;
  const read = async (): Promise<never> => {
    reads++;
    throw new Error('gone');
  };
  for (let n = 0; n < 5; n++) await expect(exportThese(context, caller, read)).rejects.toThrow('gone');
  expect(reads).toBe(5);
  for (let n = 0; n < SHARES.exports.known; n++) exports.begin(caller);
  await expect(exportThese(context, caller, read)).rejects.toMatchObject({ code: 'concurrency_limit' });
  expect(reads).toBe(5);
});

test('An exported file names the next part of the same search', async () => {
  const { server } = await withSkins();
  const { context, caller } = await insideOf(server, new Exports(nobody, 1));
  let held = 0;
  const hold = () => {
    held++;
    return () => void held--;
  };
  const call = {
    context: { ...context, openRequests: { hold } },
    request: { method: 'GET', signal: new AbortController().signal },
    ...{ caller, verify: async () => {}, query: { filter: 'hat', visibility: 'public' } },
  } as unknown as Parameters<typeof exportAnswer>[2];
  const { body } = await exportAnswer('zip', '/v2/me/skins.zip', call);
  expect(held).toBe(1);
  const files = readZip(await buffer(body as Readable));
  expect(String(files.get('MORE.txt'))).toMatch(
    /The next part: http:\/\/x\/v2\/me\/skins\.zip\?filter=hat&visibility=public&after=\w+\n/,
  );
  await vi.waitFor(() => expect(held).toBe(0));
});

test('No export begins while the service stops', async () => {
  const { context, caller } = await insideOf(await runServer(), new Exports(nobody));
  const stopping = { ...context, isStopping: () => true };
  await expect(exportSkins(stopping, caller, {})).rejects.toMatchObject({ code: 'service_unavailable' });
});

test('A picture of a later page never gets the file name of an earlier one', async () => {
  const { server } = await withSkins();
  const { context, caller } = await insideOf(server, new Exports(nobody));
  const { id: _id, ...row } = await context.db
    .selectFrom('skins')
    .selectAll()
    .limit(1)
    .executeTakeFirstOrThrow();
  const uuidOf = (n: number) =>
    `${n % 80 === 0 ? 'aaaaaaaa' : n.toString(16).padStart(8, '0')}${n.toString(16).padStart(24, '0')}`;
  const rows = Array.from({ length: 81 }, (_, n) => ({ ...row, uuid: uuidOf(n), name: 'same' }));
  await context.db.insertInto('skins').values(rows).execute();
  const { skins, end } = await exportSkins(context, caller, {});
  const sources: string[] = [];
  for await (const { line } of skins) sources.push(line.source);
  end();
  expect(sources).toHaveLength(81 + SKINS.length);
  expect(new Set(sources).size).toBe(sources.length);
});

/** What the service does it with, over the same store. */
async function insideOf({ dataDir }: ServerUnderTest, exports: Exports) {
  const { db } = await openOwnStore(dataDir);
  const user = await findUserByName(db, 'owner');
  const plans = new Plans();
  const context: ExportContext = {
    db,
    exports,
    known: nobody,
    turns: new Turns(systemClock),
    searches: new Searches(systemClock),
    clock: systemClock,
    game: {
      keys: { known: [] },
      http: { addresses: { textures: 'http://t' } },
    } as unknown as ExportContext['game'],
    ownKey: async () => undefined,
    ownAddresses: () => [],
    publicUrl: () => 'http://x',
    isStopping: () => false,
  };
  return { context, caller: userCaller(user!, plans) };
}
