import { describe, expect, test } from 'vitest';
import { decodeCape, pixelHash } from '../../../src/skin/read-skin.ts';
import { PublishedContract } from '../../support/http/published-contract.ts';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { addCape, capePng } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { looksOf } from '../../support/server/skin-records.ts';
import { expectRefusal, type Heard } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const CAPES = '/v2/account/capes';
const RED = pixelHash(decodeCape(capePng(1)));
const NOBODY = '0'.repeat(32);

const aliases = ({ body }: Heard) => body.capes?.map(({ alias }) => alias);

onSqlite(test)(
  'UUIDs of capes, users and skins are of version 4, also for pictures that others have had made',
  async () => {
    const server = await runServer();
    const people = await Promise.all([0, 1, 2, 3].map((number) => server.user(`user-${number}`)));
    const capes = await Promise.all(
      [0, 1, 2, 3].map((number) => server.owner.upload(CAPES, capePng(number), { alias: `${number}` })),
    );
    const ids = capes.map(({ body }) => body.cape?.uuid);
    for (const person of people) {
      const { body } = await person.upload('/v2/generate', skinPng(1));
      ids.push(body.skin?.uuid, String((await person.get('/v2/me')).body.user));
    }
    const versions = ids.map((id) => /^.{12}(4).{3}[89ab]/.exec(String(id).replaceAll('-', ''))?.[1]);
    expect(versions).toEqual(ids.map(() => '4'));
  },
);

describe('Capes', () => {
  test('are added by the operator and listed for everyone, as published', async () => {
    const { owner, url, anonymous } = await runServer();
    const made = await owner.upload(CAPES, capePng(1), { alias: ' Red ' });
    const cape = {
      uuid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      alias: 'Red',
      hash: RED,
      url: `${url}/textures/${RED}`,
      support: 'public',
      supported: true,
    };
    expect([made.status, made.body.cape]).toEqual([201, cape]);
    const listed = await anonymous().get('/v2/capes');
    expect([listed.status, listed.body.capes]).toEqual([200, [made.body.cape]]);
    expect(new PublishedContract().faults('get /v2/capes', 200, listed.body)).toEqual([]);
  });

  onSqlite(test)(
    'have a texture of their own from the first moment, the same for the same pixels',
    async () => {
      const server = await runServer();
      await addCape(server, 'red');
      await addCape(server, 'red again');
      const texture = await server.anonymous().get(`/textures/${RED}`);
      expect([texture.status, texture.headers['content-type']]).toEqual([200, 'image/png']);
      expect(pixelHash(decodeCape(texture.bytes))).toBe(RED);
      expect(await looksOf(server)).toEqual([]);
    },
  );

  test('that are hidden are listed for the operator alone', async () => {
    const { owner, anonymous } = await runServer();
    await owner.upload(CAPES, capePng(1), { alias: 'b' });
    const hidden = await owner.upload(CAPES, capePng(2), { alias: 'a', support: 'none' });
    expect(hidden.body.cape).toMatchObject({ support: 'none', supported: false });
    expect(aliases(await anonymous().get('/v2/capes'))).toEqual(['b']);
    expect(aliases(await owner.get('/v2/capes'))).toEqual(['b']);
    expect(aliases(await owner.get(CAPES))).toEqual(['a', 'b']);
  });

  test('are renamed, hidden and shown again', async () => {
    const server = await runServer();
    const { owner } = server;
    const uuid = await addCape(server, 'red');
    await addCape(server, 'blue');
    const change = async (content: unknown) => await owner.patch(`${CAPES}/${uuid}`, content);
    expect((await change({ alias: 'crimson' })).body.cape).toMatchObject({
      alias: 'crimson',
      support: 'public',
    });
    expect((await change({ alias: 'crimson', support: 'none' })).body.cape).toMatchObject({
      supported: false,
    });
    expect(aliases(await owner.get('/v2/capes'))).toEqual(['blue']);
    expect((await change({ support: 'public' })).body.cape).toMatchObject({
      alias: 'crimson',
      support: 'public',
    });
    expectRefusal(await change({ alias: 'blue' }), 'invalid_request');
    expectRefusal(await change({}), 'validation_error');
    expectRefusal(await change({ support: 'owner' }), 'validation_error');
    expectRefusal(await owner.patch(`${CAPES}/${NOBODY}`, { alias: 'x' }), 'not_found');
  });

  test('disappear when deleted, with their texture if no skin has it', async () => {
    const server = await runServer();
    const { owner } = server;
    const uuid = await addCape(server, 'red');
    expect((await owner.send('DELETE', `${CAPES}/${uuid.replaceAll('-', '')}`)).status).toBe(200);
    expect(aliases(await owner.get(CAPES))).toEqual([]);
    expectRefusal(await owner.get(`/textures/${RED}`), 'not_found');
    expectRefusal(await owner.send('DELETE', `${CAPES}/${uuid}`), 'not_found');
    expectRefusal(await owner.send('DELETE', `${CAPES}/red`), 'validation_error');
  });

  onSqlite(test).each([
    ['a skin', 'invalid_image', skinPng(1), { alias: 'a' }],
    ['no picture', 'invalid_image', Buffer.from('GIF89a'), { alias: 'a' }],
    ['an empty file', 'invalid_file', Buffer.alloc(0), { alias: 'a' }],
    ['no alias', 'validation_error', capePng(1), {}],
    ['an empty alias', 'validation_error', capePng(1), { alias: '  ' }],
    ['a long alias', 'validation_error', capePng(1), { alias: 'a'.repeat(49) }],
    ['an alias that moves the cursor', 'validation_error', capePng(1), { alias: 'a\u001b[2Jb' }],
    ['an unknown support', 'validation_error', capePng(1), { alias: 'a', support: 'owner' }],
    ['an alias that is taken', 'invalid_request', capePng(2), { alias: 'red' }],
  ] as const)('are refused: %s', async (_, code, png, fields) => {
    const server = await runServer();
    await addCape(server, 'red');
    expectRefusal(await server.owner.upload(CAPES, png, fields), code);
    expect(aliases(await server.owner.get(CAPES))).toEqual(['red']);
  });

  onSqlite(test)('without a file are refused, whatever way they come', async () => {
    const { owner } = await runServer();
    expectRefusal(await owner.json(CAPES, { alias: 'a' }), 'missing_file');
    expectRefusal(await owner.form(CAPES, new FormData()), 'missing_file');
  });

  onSqlite(test)('are the operator’s business alone', async () => {
    const server = await runServer();
    const uuid = await addCape(server, 'red');
    const bob = await server.user('bob');
    for (const [caller, code] of [
      [bob, 'insufficient_grants'],
      [server.anonymous(), 'unauthorized'],
    ] as const) {
      expectRefusal(await caller.get(CAPES), code);
      expectRefusal(await caller.upload(CAPES, capePng(2), { alias: 'a' }), code);
      expectRefusal(await caller.patch(`${CAPES}/${uuid}`, { alias: 'a' }), code);
      expectRefusal(await caller.send('DELETE', `${CAPES}/${uuid}`), code);
    }
    expect(aliases(await server.owner.get(CAPES))).toEqual(['red']);
  });
});
