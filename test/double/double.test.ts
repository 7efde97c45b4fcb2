import { createPublicKey } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SkinClient } from '../../src/client/skin-client.ts';
import { type Double, type DoubleOptions, startDouble } from '../../src/double/double.ts';
import { fixtureKey } from '../../src/double/seed.ts';
import type { WireJob } from '../../src/protocol/job.ts';
import type { Skin } from '../../src/protocol/skin.ts';
import { v1SkinSchema } from '../../src/protocol/v1.ts';
import { isSignedBy } from '../../src/textures/signing-key.ts';
import { dataUrl, skinPng } from '../support/server/drawn-skins.ts';

/** A double whose expectations the test looks at itself. */
async function open(options: DoubleOptions = {}): Promise<Double> {
  const double = await startDouble({ listens: false, ...options });
  onTestFinished(async () => await double.stop().catch(() => {}));
  return double;
}

interface Body {
  readonly job?: Partial<WireJob>;
  readonly skin?: Skin;
  readonly success?: boolean;
  readonly errors?: readonly { code: string; message: string }[];
}

async function call(
  double: Double,
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; body: Body }> {
  const headers = {
    authorization: `Bearer ${double.key}`,
    'content-type': 'application/json',
    ...init.headers,
  };
  const answer = await double.fetch(new Request(double.url + path, { ...init, headers }));
  return { status: answer.status, body: (await answer.json()) as Body };
}

/** Submits the picture of a number. `name` may be a scenario. */
async function submit(double: Double, number: number, name?: string) {
  const body = JSON.stringify({ url: dataUrl(skinPng(number)), ...(name !== undefined && { name }) });
  return await call(double, '/v2/queue', { method: 'POST', body });
}

async function job(double: Double, { body }: { body: Body }) {
  return await call(double, `/v2/queue/${body.job?.id}`);
}

describe.each(['hosted', 'skinsmith'] as const)('A double of %s', (as) => {
  test('makes skins that its key has signed, and says in each answer that it is a double', async () => {
    const double = await open({ as, scenario: 'calm', clock: 'manual' });
    const client = new SkinClient({
      baseUrl: double.url,
      apiKey: double.key,
      fetch: double.fetch,
      insecureHttp: true,
    });
    const { job: accepted } = await client.queue({ file: skinPng(1) });
    const waiting = client.waitForJob(accepted);
    await passing(double, waiting);
    const { skin } = await waiting;
    const { value, signature } = skin.texture.data;
    expect(isSignedBy(createPublicKey(fixtureKey()), value, signature)).toBe(true);
    const picture = await double.fetch(new Request(skin.texture.url.skin));
    expect([picture.status, picture.headers.get('x-skinsmith-double')]).toEqual([200, as]);
  });

  test.each([
    ['fail-skin_change_failed', 'skin_change_failed'],
    ['no-account', 'no_account_available'],
  ])('fails the job of a submission named %s', async (name, code) => {
    const double = await open({ as, clock: 'manual' });
    const accepted = await submit(double, 1, name);
    expect(accepted.status).toBe(202);
    await passing(double, untilEnded(double, accepted));
    const { body } = await job(double, accepted);
    expect([body.job?.status ?? 'failed', body.errors?.[0]?.code]).toEqual(['failed', code]);
  });

  test('refuses, breaks and answers late as the names of skins say, the first time or as often as they say', async () => {
    const double = await open({ as, clock: 'manual' });
    const refused = await submit(double, 1, 'refuse-invalid_image');
    expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([400, 'invalid_image']);
    const limited = await submit(double, 2, 'limit-429');
    expect([limited.status, limited.body.errors?.[0]?.code]).toEqual([429, 'rate_limit']);
    expect((await submit(double, 2, 'limit-429')).status).toBe(202);
    await expect(submit(double, 3, 'drop-2')).rejects.toThrow('fetch failed');
    await expect(submit(double, 3, 'drop-2')).rejects.toThrow('fetch failed');
    expect((await submit(double, 3, 'drop-2')).status).toBe(202);
    await expect(submit(double, 4, 'lose')).rejects.toThrow('fetch failed');
    expect(double.requests.at(-1)).toMatchObject({
      status: 0,
      effect: 'fault reset-after',
      job: expect.any(String),
    });
    const late = submit(double, 5, 'late-60000');
    await passing(double, late);
    expect((await late).status).toBe(202);
  });

  test('plays the scenario of a name although it already has the picture', async () => {
    const double = await open({ as, clock: 'manual' });
    const known = await submit(double, 1, 'knight');
    await passing(double, untilEnded(double, known));
    expect((await submit(double, 1, 'knight')).status).toBe(200);
    const failing = await submit(double, 1, 'fail-job_failed-1');
    await passing(double, untilEnded(double, failing));
    expect((await job(double, failing)).body.errors?.[0]?.code).toBe('job_failed');
    const other = await submit(double, 1, 'fail-skin_change_failed-1');
    await passing(double, untilEnded(double, other));
    expect((await job(double, other)).body.errors?.[0]?.code).toBe('skin_change_failed');
    await expect(submit(double, 1, 'lose')).rejects.toThrow('fetch failed');
    expect(double.requests.at(-1)).toMatchObject({ lost: true, pending: 1 });
    const refused = await submit(double, 1, 'refuse-invalid_image');
    expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([400, 'invalid_image']);
    const never = await submit(double, 1, 'never');
    double.advance('24h');
    expect((await job(double, never)).body.job?.status).not.toBe('completed');
  });

  test('answers requests of version 1 in its form, refusals too, and plays scenario names there', async () => {
    const double = await open({ as });
    const generate = async (name?: string) => {
      const body = JSON.stringify({ url: dataUrl(skinPng(1)), ...(name !== undefined && { name }) });
      return await call(double, '/generate/url', { method: 'POST', body });
    };
    const made = await generate('knight');
    const { id, uuid } = made.body as { id?: number; uuid?: string };
    expect([made.status, typeof id]).toEqual([200, 'number']);
    expect(v1SkinSchema.parse(made.body).data.texture.signature).toHaveLength(684);
    expect((await generate('knight')).body).toMatchObject({ duplicate: true });
    expect((await generate('limit-429')).body).toMatchObject({
      errorCode: 'rate_limit',
      delayInfo: { millis: 1_000, seconds: 1 },
    });
    expect((await generate('fail-skin_change_failed')).body).toMatchObject({
      success: false,
      errorCode: 'skin_change_failed',
      error: expect.any(String),
    });
    expect((await call(double, `/get/uuid/${uuid}`)).body).toMatchObject({ uuid, idStr: `${id}` });
  });

  test('serves textures from an origin of their own, where fetch sends no key', async () => {
    const double = await startDouble({ as });
    double.expect({ keyOnApi: true });
    const headers = { authorization: `Bearer ${double.key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ url: dataUrl(skinPng(1)) });
    const made = await fetch(`${double.url}/v2/generate`, { method: 'POST', headers, body });
    const { skin } = (await made.json()) as { skin: Skin };
    expect(new URL(skin.texture.url.skin).origin).not.toBe(double.url);
    const picture = await fetch(`${double.url}/v2/skins/${skin.uuid}/texture`, { headers });
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(double.violations()).toEqual([]);
    const api = await fetch(new URL('/v2/me', skin.texture.url.skin), { headers });
    expect([api.status, double.violations().map(({ expectation }) => expectation)]).toEqual([
      404,
      ['keyOnApi'],
    ]);
    await double.stop().catch(() => {});
  });

  test("identifies its user by the key only, so nobody else can read that user's skins", async () => {
    const double = await open({ as, clock: 'manual' });
    const nobody = await double.fetch(new Request(`${double.url}/v2/me/skins`));
    expect([nobody.status, (await call(double, '/v2/me/skins')).status]).toEqual([401, 200]);
    const key = await call(double, '/v2/me/apikey');
    expect(key.body).toMatchObject({ key: { createdAt: expect.any(String), allowedIps: [] } });
  });

  test('answers a known picture at once, and never answers a job that never ends', async () => {
    const double = await open({ as, clock: 'manual' });
    expect((await submit(double, 1, 'duplicate')).body.skin?.duplicate).toBe(true);
    const never = await submit(double, 2, 'never');
    double.advance('24h');
    expect((await job(double, never)).body.job?.status).not.toBe('completed');
  });
});

/** Lets time pass until a task has settled. */
async function passing(double: Double, task: Promise<unknown>): Promise<void> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  task.then(settle, settle);
  while (!isSettled) {
    double.advance('1s');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function untilEnded(double: Double, accepted: { body: Body }): Promise<void> {
  for (;;) {
    const { body } = await job(double, accepted);
    if (body.job?.status !== 'waiting' && body.job?.status !== 'processing') return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('Two doubles of one seed give the same ids, times and signatures; another seed gives others', async () => {
  const tell = async (seed: number) => {
    const double = await open({ seed, clock: 'manual' });
    const accepted = await submit(double, 1);
    double.advance('1m');
    const { body } = await job(double, accepted);
    return { accepted: accepted.body.job, skin: body.skin };
  };
  const [first, second, other] = [await tell(7), await tell(7), await tell(8)];
  expect(second).toEqual(first);
  expect(other.accepted?.id).not.toBe(first.accepted?.id);
  expect(first.accepted?.timestamp).toBe(Date.UTC(2026, 0, 1, 12));
});

test('Time stands still until it is advanced, and limits pass with it', async () => {
  const double = await open({ clock: 'manual', scenario: { service: { perMinute: 2, slots: 9 } } });
  for (const number of [1, 2, 3]) expect((await submit(double, number)).status).toBe(202);
  expect((await submit(double, 4)).body.errors?.[0]?.code).toBe('rate_limit');
  await call(double, '/_double/clock', { method: 'POST', body: '{"advance":"1m"}' });
  expect((await submit(double, 4)).status).toBe(202);
});

test('Rules say what happens to which requests, and how often', async () => {
  const double = await open({
    clock: 'manual',
    scenario: {
      rules: [
        {
          on: { route: 'POST /v2/queue', nth: 2 },
          do: { answer: { status: 503, body: '<p>Maintenance</p>' } },
        },
        { on: { name: 'hero*' }, times: 1, do: { job: { fails: 'invalid_skin_data' } } },
        {
          on: { route: 'GET /v2/queue/:id', key: 'none' },
          do: { answer: { status: 401, code: 'unauthorized' } },
        },
        { on: { route: 'GET /v2/me' }, do: { alter: { user: null, grants: '(absent)' } } },
      ],
    },
  });
  const first = await submit(double, 1, 'hero-1');
  const page = await double.fetch(
    new Request(`${double.url}/v2/queue`, {
      method: 'POST',
      headers: { authorization: `Bearer ${double.key}` },
    }),
  );
  expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
    503,
    'text/html; charset=utf-8',
    '<p>Maintenance</p>',
  ]);
  const second = await submit(double, 2, 'hero-2');
  double.advance('1m');
  expect((await job(double, first)).body.errors?.[0]?.code).toBe('invalid_skin_data');
  expect((await job(double, second)).body.job?.status).toBe('completed');
  const nobody = await call(double, `/v2/queue/${first.body.job?.id}`, { headers: { authorization: '' } });
  expect(nobody.status).toBe(401);
  const me = (await call(double, '/v2/me')).body as Record<string, unknown>;
  expect([me['user'], 'grants' in me]).toEqual([null, false]);
});

test('A job can end at its nth poll, complete wrongly, or be forgotten', async () => {
  const double = await open({ clock: 'manual' });
  const polled = await submit(double, 1, 'polls-3');
  const seen: unknown[] = [];
  for (let poll = 0; poll < 4; poll++) seen.push((await job(double, polled)).body.job?.status);
  expect(seen).toEqual(['processing', 'processing', 'completed', 'completed']);
  const wrong = await submit(double, 2, 'wrong');
  const gone = await submit(double, 3, 'forget');
  double.advance('1m');
  const { body } = await job(double, wrong);
  const right = await submit(double, 2);
  double.advance('1m');
  expect(body.skin?.texture.hash.skin).not.toBe((await job(double, right)).body.skin?.texture.hash.skin);
  expect((await job(double, gone)).body.errors?.[0]?.code).toBe('job_not_found');
});

test.each([
  [{ rules: [{ do: { fault: 'reset', answer: { status: 500 } } }] }, 'only one of fault and answer'],
  [{ rules: [{ do: { job: { fails: 'nonsense' } } }] }, 'rules[0].do.job.fails'],
  [{ service: { time: 'soon' } }, 'must be a time such as 500ms'],
  [{ servce: {} }, 'servce'],
])('A scenario that makes no sense is refused with the place: %j', async (scenario, message) => {
  await expect(open({ scenario: scenario as never })).rejects.toThrow(message);
});

test.each(['polls-3', 'wrong', 'forget'])(
  'A double of skinsmith refuses a submission named %s',
  async (name) => {
    const double = await open({ as: 'skinsmith', clock: 'manual' });
    const { status, body } = await submit(double, 1, name);
    expect([status, body.errors?.[0]?.message]).toEqual([400, expect.stringContaining('cannot do')]);
  },
);

test('A double of the hosted service refuses polls-N where nobody polls', async () => {
  const double = await open({ clock: 'manual' });
  const body = JSON.stringify({ url: dataUrl(skinPng(1)), name: 'polls-3' });
  for (const path of ['/v2/generate', '/generate/url'])
    expect((await call(double, path, { method: 'POST', body })).status).toBe(400);
});

test('A double of skinsmith refuses a scenario that it cannot play', async () => {
  const scenario = { rules: [{ do: { job: { polls: 3 } } }] };
  await expect(open({ as: 'skinsmith', scenario })).rejects.toThrow('cannot do job.polls');
});

test('A reset forgets requests, jobs and expectations', async () => {
  const double = await open({ clock: 'manual' });
  const accepted = await submit(double, 1);
  double.expect({ requests: [{ route: 'POST /v2/queue', max: 0 }] });
  expect(double.violations()).toHaveLength(1);
  await call(double, '/_double/reset', { method: 'POST', body: '{}' });
  expect([double.requests, double.violations()]).toEqual([[], []]);
  expect((await job(double, accepted)).body.errors?.[0]?.code).toBe('job_not_found');
  await submit(double, 1);
  expect(double.violations()).toEqual([]);
});

test('A reset ends the requests that were under way', async () => {
  const double = await open({ clock: 'manual', scenario: { service: { latency: '1m' } } });
  const waiting = call(double, '/v2/me');
  await double.reset({});
  await expect(waiting).rejects.toThrow(/abort/i);
  expect((await call(double, '/v2/me')).status).toBe(200);
});

test('Every rule counts all requests that match it, even if an earlier rule takes them', async () => {
  const answer = (status: number) => ({ answer: { status, code: 'job_limit' } });
  const route = 'GET /v2/me';
  const rules = [
    { on: { route, nth: 1 }, do: answer(409) },
    { on: { route, nth: 2 }, do: answer(410) },
  ];
  const double = await open({ clock: 'manual', scenario: { rules } });
  const statuses: number[] = [];
  for (let n = 0; n < 3; n++) statuses.push((await call(double, '/v2/me')).status);
  expect(statuses).toEqual([409, 410, 200]);
});

test.each([
  ['guard*d', 'guard', false],
  ['guard*d', 'guard-d', true],
  ['*a*a*', 'a', false],
  ['*a*a*', 'xaay', true],
  ['guard', 'guards', false],
])('A rule for %s and the name %s: %s', async (name, sent, matches) => {
  const rules = [{ on: { name }, do: { answer: { status: 418, code: 'job_limit' } } }];
  const double = await open({ clock: 'manual', scenario: { rules } });
  expect((await submit(double, 1, sent)).status === 418).toBe(matches);
});

test('Received requests are shown without a key', async () => {
  const double = await open({ clock: 'manual' });
  await submit(double, 1);
  await call(double, '/v2/me', { headers: { authorization: `Bearer ${'x'.repeat(70)}` } });
  const { body } = await call(double, '/_double/requests');
  expect(body).toMatchObject({
    dropped: 0,
    requests: [
      { method: 'POST', address: '/v2/queue', key: 'valid', status: 202, pending: 1 },
      { method: 'GET', address: '/v2/me', key: 'unknown', status: 403, code: 'invalid_api_key' },
    ],
  });
  expect(JSON.stringify(body)).not.toContain(double.key);
});

/** A client as they are found in the wild: each does one thing that it must not. */
type Client = (double: Double) => Promise<void>;

const BAD_CLIENTS: Readonly<Record<string, Client>> = {
  maxPending: async (double) => {
    for (let number = 1; number <= 6; number++) await submit(double, number);
  },
  pollGap: async (double) => {
    const accepted = await submit(double, 1);
    for (let poll = 0; poll < 5; poll++) await job(double, accepted);
  },
  keyOnApi: async (double) => {
    const accepted = await submit(double, 1);
    double.advance('1m');
    const { body } = await job(double, accepted);
    await double.fetch(
      new Request(body.skin!.texture.url.skin, { headers: { authorization: `Bearer ${double.key}` } }),
    );
  },
  onceEach: async (double) => {
    await submit(double, 1, 'lose').catch(() => {});
    await submit(double, 1, 'lose');
  },
  waits: async (double) => {
    await submit(double, 1, 'limit-429');
    await submit(double, 1, 'limit-429');
  },
};

test('Requests take as long as the latency of the scenario, each way', async () => {
  const double = await open({ clock: 'manual', scenario: { service: { latency: '2s' } } });
  const listed = call(double, '/v2/queue');
  await passing(double, listed);
  const [{ at = 0, answered = 0 } = {}] = double.requests;
  expect(answered - at).toBeGreaterThanOrEqual(4_000);
});

test('A submission in flight when another gets a 429 does not count against the client', async () => {
  const double = await open({ clock: 'manual', scenario: { expect: { polite: true } } });
  await Promise.all([submit(double, 1, 'limit-429'), submit(double, 2), submit(double, 3)]);
  expect(double.violations()).toEqual([]);
  double.advance('500ms');
  await submit(double, 4);
  expect(double.violations()).toMatchObject([{ expectation: 'waits', requests: [4] }]);
});

test.each(Object.entries(BAD_CLIENTS))(
  'A client that breaks %s is caught, and named at the end',
  async (name, client) => {
    const double = await startDouble({
      listens: false,
      clock: 'manual',
      scenario: { expect: { polite: true } },
    });
    await client(double);
    expect(double.violations().map(({ expectation }) => expectation)).toEqual([name]);
    await expect(double.stop()).rejects.toMatchObject({
      code: 'unmet_expectations',
      message: expect.stringContaining(`\n${name}: `),
    });
  },
);
