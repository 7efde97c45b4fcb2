import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { EventReader } from '../../support/server/event-reader.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { poll } from '../../support/server/poll.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';

guardAgainstLeaks();

async function signedIn({ url, key }: ServerUnderTest, as = key): Promise<PlainBrowser> {
  const browser = new PlainBrowser(url);
  expect((await browser.signIn(as)).status).toBe(303);
  return browser;
}

async function failAll({ dataDir }: ServerUnderTest): Promise<void> {
  const { db } = await openOwnStore(dataDir);
  const end = { status: 'failed', error_code: 'job_failed', error_message: 'The game <was> away.' } as const;
  await db
    .updateTable('jobs')
    .set((eb) => ({ ...end, finished_at: eb('created_at', '+', 5_000) }))
    .execute();
}

/** The events that the page of jobs reads. */
async function follow({ url }: ServerUnderTest, { cookie = '' }: PlainBrowser): Promise<EventReader> {
  const agent = new Agent();
  const answer = await request(`${url}/ui/jobs/events`, { headers: { cookie }, dispatcher: agent });
  const stream = new EventReader(answer, async () => await agent.destroy());
  onTestFinished(async () => await stream.close());
  return stream;
}

test('Jobs are listed with what they are made from, their state and the time they took', async () => {
  const server = await runServer({ workers: 0 });
  const browser = await signedIn(server);
  await server.owner.upload('/v2/queue', skinPng(1), { name: 'Anna' });
  await failAll(server);
  await server.owner.json('/v2/queue', { url: `data:image/png;base64,${skinPng(2).toString('base64')}` });
  const { text } = await browser.open('/ui/jobs');
  expect(text).toContain('<bdi>skin.png</bdi>');
  expect(text).toContain('Named <bdi>Anna</bdi>');
  expect(text).toContain('took 5 s');
  expect(text).toContain('The game &lt;was&gt; away.');
  expect(text).toContain('2 jobs');
  expect((await browser.open('/ui/jobs?status=failed')).text).toContain('1 job<');
  expect((await browser.open('/ui/jobs?status=completed')).text).toContain('No jobs with this status.');
});

test('The page Make tells returning people and visitors, and nobody else, what became of their latest jobs', async () => {
  const server = await runServer({ workers: 0 });
  const [browser, visitor] = [await signedIn(server), new PlainBrowser(server.url)];
  const told = async (who: PlainBrowser) =>
    /Your latest jobs: [^<]*/.exec((await who.open('/ui/make')).text)?.[0];
  expect([await told(browser), await told(visitor)]).toEqual([undefined, undefined]);
  await server.owner.upload('/v2/queue', skinPng(1));
  await failAll(server);
  await server.owner.upload('/v2/queue', skinPng(2));
  const form = new FormData();
  form.set('url', `data:image/png;base64,${skinPng(3).toString('base64')}`);
  expect((await visitor.open('/ui/make', { form })).status).toBe(303);
  expect(await told(browser)).toBe('Your latest jobs: 0 done, 1 under way, 1 failed');
  expect(await told(visitor)).toBe('Your latest jobs: 0 done, 1 under way, 0 failed');
  expect(await told(new PlainBrowser(server.url))).toBeUndefined();
  const { db } = await openOwnStore(server.dataDir);
  await db
    .updateTable('jobs')
    .set((eb) => ({ created_at: eb('created_at', '-', 3_700_000) }))
    .execute();
  expect(await told(browser)).toBeUndefined();
});

test('The page of a job shows its picture, its name, its place in the queue and when it was submitted', async () => {
  const server = await runServer({ workers: 0 });
  const browser = await signedIn(server);
  await server.owner.upload('/v2/queue', skinPng(1));
  const { job } = (await server.owner.upload('/v2/queue', skinPng(2), { name: 'Anna' })).body;
  const path = `/ui/jobs/${job?.id}`;
  const state = await browser.open(`${path}/state`, { headers: { accept: 'application/json' } });
  const says = 'Waiting: 1 job before this one';
  expect(JSON.parse(state.text)).toMatchObject({ status: 'waiting', says });
  const picture = await browser.open(`${path}/picture`);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  const bob = await signedIn(
    server,
    (await server.owner.json('/v2/account/keys', { user: 'bob' })).body.key?.secret,
  );
  expect((await bob.open(`${path}/picture`)).status).toBe(404);
  await failAll(server);
  const { text } = await browser.open(path);
  for (const shown of ['<bdi>Anna</bdi>', '<bdi>skin.png</bdi>', 'Submitted', `src="${path}/picture"`])
    expect(text).toContain(shown);
  expect(text).toContain(`skinsmith retry ${job?.id}`);
});

test('The page of jobs has no jobs of others', async () => {
  const server = await runServer({ workers: 0 });
  const bob = await server.user('bob');
  await bob.upload('/v2/queue', skinPng(1), { name: 'Bobs' });
  expect((await (await signedIn(server)).open('/ui/jobs')).text).not.toContain('Bobs');
});

test('A failed job is tried again from the page, and leads to the new one', async () => {
  const server = await runServer({ workers: 0 });
  const browser = await signedIn(server);
  const { job } = (await server.owner.upload('/v2/queue', skinPng(1))).body;
  await failAll(server);
  const path = `/ui/jobs/${job?.id}/retry`;
  expect((await browser.open('/ui/jobs')).text).toContain(`action="${path}"`);
  const { status, headers } = await browser.open(path, { form: {} });
  const [newest] = (await server.owner.get('/v2/queue?size=5')).body.jobs ?? [];
  expect([status, headers.get('location')]).toEqual([303, `/ui/jobs/${newest?.id}`]);
  expect(newest).toMatchObject({ status: 'waiting', source: 'skin.png' });
  const foreign = await browser.open(path, { form: {}, headers: { 'sec-fetch-site': 'cross-site' } });
  expect(foreign.status).toBe(403);
});

test('A page says when pending jobs are expected to end', async () => {
  const work = new HeldWork();
  const server = await runServer({ ...work.options, workers: 1 });
  await server.owner.upload('/v2/queue', skinPng(1));
  const { text } = await (await signedIn(server)).open('/ui/jobs');
  expect(text).toMatch(/<span data-time="\d+">, done in about /);
  work.release();
});

test('Visitors behind one address see, and get events for, only the jobs of their own browser', async () => {
  const { url } = await runServer();
  const [ann, bob] = [new PlainBrowser(url), new PlainBrowser(url)];
  const make = async (browser: PlainBrowser, number: number) => {
    await browser.open('/ui/make');
    const form = new FormData();
    form.set('file', new File([skinPng(number)], `secret-${number}.png`, { type: 'image/png' }));
    form.set('visibility', 'unlisted');
    expect((await browser.open('/ui/make', { form })).status).toBe(303);
  };
  await make(ann, 1);
  await make(bob, 2);
  await make(ann, 3);
  const shown = async (browser: PlainBrowser) =>
    [...(await browser.open('/ui/jobs')).text.matchAll(/secret-\d/g)].map(String);
  expect(new Set(await shown(ann))).toEqual(new Set(['secret-3', 'secret-1']));
  expect(new Set(await shown(bob))).toEqual(new Set(['secret-2']));
  expect(await shown(new PlainBrowser(url))).toEqual([]);
});

test('The page of jobs learns of the ends of jobs, until its key is revoked', async () => {
  const work = new HeldWork();
  const server = await runServer(work.options);
  const key = (await server.owner.json('/v2/account/keys', { scopes: ['read', 'generate'] })).body.key!;
  const browser = await signedIn(server, key.secret);
  const { job } = (await server.owner.upload('/v2/queue', skinPng(1))).body;
  const stream = await follow(server, browser);
  const [first] = await stream.first(1);
  expect(first).toMatchObject({ type: 'pending', data: [{ id: job?.id }] });
  work.release();
  const [, end] = await stream.first(2);
  expect(end).toMatchObject({ type: 'job', data: { id: job?.id, status: 'completed' } });
  await server.owner.send('DELETE', `/v2/account/keys/${key.id}`);
  await poll(
    () => stream.end,
    (end) => end !== undefined,
  );
  expect((await browser.open('/ui/skins')).headers.get('location')).toBe('/ui/sign-in?next=%2Fui%2Fskins');
});

test('The page of jobs learns nothing more once its key may not read, though the person stays signed in', async () => {
  const server = await runServer({ workers: 0 });
  const key = (await server.owner.json('/v2/account/keys', { scopes: ['read', 'generate'] })).body.key!;
  const browser = await signedIn(server, key.secret);
  const stream = await follow(server, browser);
  await stream.first(1);
  await server.owner.patch(`/v2/account/keys/${key.id}`, { scopes: ['generate'] });
  await poll(
    () => stream.end,
    (end) => end !== undefined,
    60_000,
  );
  expect((await browser.open('/ui/jobs')).status).toBe(403);
});

test('Only the list of the newest jobs of all states updates itself, since other lists would miss news', async () => {
  const server = await runServer({ workers: 0 });
  const browser = await signedIn(server);
  await server.owner.upload('/v2/queue', skinPng(1));
  const titled = async (query: string) =>
    /<title>(.*?)</.exec((await browser.open(`/ui/jobs${query}`)).text)?.[1];
  expect([await titled(''), await titled('?status=failed')]).toEqual([
    'My jobs · skinsmith',
    'My jobs: Failed · skinsmith',
  ]);
  const isLive = async (query: string) => (await browser.open(`/ui/jobs${query}`)).text.includes('data-jobs');
  expect([await isLive(''), await isLive('?status=')]).toEqual([true, true]);
  for (const query of ['?status=waiting', '?status=failed', '?after=99'])
    expect([query, await isLive(query)]).toEqual([query, false]);
});
