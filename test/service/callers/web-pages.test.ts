import { describe, expect, test } from 'vitest';
import { isForUsersOnly } from '../../../src/server/http/route.ts';
import { ROUTES } from '../../../src/server/http/routes/routes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** What a browser sends over plain http with the request of a page to its own site, whose name leads to the service. */
const REBOUND = { host: 'evil.example:7546', 'accept-language': 'en', 'accept-encoding': 'gzip, deflate' };

const ALLOWED = 'https://skins.example.org';
const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  REBOUND,
];

/** Paths of what an address sees of its own jobs. Any such route that is added is among them. */
const OWN_LISTS = ROUTES.filter((one) => one.scopes?.includes('read') && !isForUsersOnly(one)).flatMap(
  ({ paths }) => paths,
);

/** A skin that the address of strangers has made, and its job. */
async function makeSkin({ anonymous }: ServerUnderTest) {
  const { body } = await anonymous().upload('/v2/generate', skinPng(1), { visibility: 'unlisted' });
  const { uuid } = body.skin!;
  return { uuid, job: String(body.links['job']).replace('/v2/queue/', '') };
}

describe('A web page of another origin, without a key,', () => {
  test('does not see what its visitor’s IP address has made', async () => {
    const server = await runServer();
    const { uuid, job } = await makeSkin(server);
    const visitor = server.anonymous();
    expect(OWN_LISTS).toHaveLength(6);
    for (const headers of FOREIGN) {
      for (const path of OWN_LISTS)
        expectRefusal(await visitor.get(path.replace(':jobId', job), headers), 'insufficient_grants');
      expect((await visitor.get(`/v2/skins/${uuid}`, headers)).status).toBe(200);
    }
    expect((await visitor.get(`/v2/queue/${job}`)).status).toBe(200);
  });

  test('reports no skins in the name of its visitor', async () => {
    const server = await runServer();
    const { uuid } = await makeSkin(server);
    const path = `/v2/skins/${uuid}/report`;
    for (const headers of FOREIGN) {
      const asForm = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
      const sent = await server.anonymous().send('POST', path, { body: 'reason=other', headers: asForm });
      expectRefusal(sent, 'insufficient_grants');
    }
    expect((await server.owner.get('/v2/account/reports')).body.reports).toEqual([]);
  });

  test('is refused where a program, or a page of the service under a trustworthy host name, is accepted', async () => {
    const server = await runServer({ publicUrl: 'http://skins.lan' });
    const { 'accept-language': _, ...program } = REBOUND;
    const onNode = { ...REBOUND, 'accept-language': '*', 'sec-fetch-mode': 'cors' };
    const overTls = { ...REBOUND, 'sec-fetch-site': 'same-origin' };
    const ours = ['skins.lan:7546', 'localhost:80', '192.168.1.5:7546', '[::1]'];
    for (const headers of [program, onNode, overTls, ...ours.map((host) => ({ ...REBOUND, host }))])
      expect([headers, (await server.anonymous().get('/v2/queue', headers)).status]).toEqual([headers, 200]);
    expectRefusal(await server.anonymous().get('/v2/queue', REBOUND), 'insufficient_grants');
    expect((await server.owner.get('/v2/queue', REBOUND)).status).toBe(200);
  });

  test('may not read lists or report skins, unlike one that the operator allows, one with a key, or the service’s own', async () => {
    const server = await runServer({ allowedOrigins: [ALLOWED] });
    const { uuid, job } = await makeSkin(server);
    const report = { reason: 'other' };
    for (const [caller, origin] of [
      [server.anonymous(), server.url],
      [server.anonymous(), ALLOWED],
      [server.owner, 'https://evil.example'],
    ] as const) {
      expect((await caller.get('/v2/queue', { origin })).status).toBe(200);
      expect((await caller.json(`/v2/skins/${uuid}/report`, report, { origin })).status).toBe(200);
    }
    const { body } = await server.anonymous().get(`/v2/queue/${job}`, { origin: ALLOWED });
    expect(body.skin?.uuid).toBe(uuid);
  });
});
