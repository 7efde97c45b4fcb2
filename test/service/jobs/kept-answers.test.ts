import { expect, test } from 'vitest';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** Makes a skin. Returns the addresses of its job and of itself. */
async function make({ owner }: ServerUnderTest): Promise<{ job: string; skin: string }> {
  const { body } = await owner.upload('/v2/generate', skinPng(1), { name: 'Smith' });
  const known = await owner.upload('/v2/queue', skinPng(1), { name: 'Smith' });
  return { job: `/v2/queue/${known.body.job?.id}`, skin: `/v2/skins/${body.skin?.uuid}` };
}

async function rename(caller: TestCaller, skin: string, name: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { status } = await caller.send('PATCH', skin, { body: JSON.stringify({ name }), headers });
  expect(status).toBe(200);
}

const nameIn = async (caller: TestCaller, job: string) => (await caller.get(job)).body.skin?.name;

test.each(['a job', 'the list'])(
  'Repeated requests for %s get the same answer, with the same entity tag',
  async (what) => {
    const server = await runServer();
    const { job } = await make(server);
    const address = what === 'a job' ? job : '/v2/queue';
    const [first, second] = [await server.owner.get(address), await server.owner.get(address)];
    expect(second.body).toEqual(first.body);
    expect(second.headers['etag']).toBe(first.headers['etag']);
    const headers = { 'if-none-match': String(first.headers['etag']) };
    expect((await server.owner.send('GET', address, { headers })).status).toBe(304);
  },
);

test('A change by any process shows in the next answer', async () => {
  const server = await runServer();
  const { url } = await runServer({ dataDir: server.dataDir });
  const owner = { here: server.owner, there: new TestCaller(url, { key: server.key }) };
  const { job, skin } = await make(server);
  for (const [n, changing] of [owner.here, owner.there, owner.here].entries()) {
    await nameIn(owner.here, job);
    await nameIn(owner.there, job);
    await rename(changing, skin, `Name ${n}`);
    expect(await nameIn(owner.here, job)).toBe(`Name ${n}`);
    expect(await nameIn(owner.there, job)).toBe(`Name ${n}`);
  }
});

test('A new job is in the list at once', async () => {
  const { owner } = await runServer({ workers: 0 });
  for (let number = 1; number <= 3; number++) {
    await owner.upload('/v2/queue', skinPng(number));
    expect((await owner.get('/v2/queue')).body.jobs).toHaveLength(number);
  }
});

test('An answer to one caller is not reused for another', async () => {
  const server = await runServer();
  const { job } = await make(server);
  const ann = await server.user('Ann');
  for (let n = 0; n < 2; n++) {
    expect((await server.owner.get(job)).status).toBe(200);
    expectRefusal(await ann.get(job), 'job_not_found');
    expect((await server.owner.get('/v2/queue')).body.jobs).not.toEqual([]);
    expect((await ann.get('/v2/queue')).body.jobs).toEqual([]);
  }
});

test('An answer has the warnings of its own request, not of the one before', async () => {
  const server = await runServer();
  const { job } = await make(server);
  const warned = async (headers: Record<string, string>) =>
    (await server.owner.send('GET', job, { headers })).body.warnings?.map(({ code }) => code);
  for (let n = 0; n < 2; n++) {
    expect(await warned({})).toEqual([]);
    expect(await warned({ 'user-agent': '' })).toEqual(['no_user_agent']);
  }
});
