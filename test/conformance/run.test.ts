import { describe, expect, test } from 'vitest';
import { openConformance, planOf } from '../../src/conformance/run.ts';
import type { Double, DoubleOptions } from '../../src/double/double.ts';
import {
  changing,
  clockOf,
  type Fetch,
  isJson,
  isSubmission,
  judge,
  openDouble as open,
  withBody,
} from '../support/conformance/judge.ts';
import { hastyClock } from '../support/server/hasty-clock.ts';
import { sampled } from '../support/setup/extent.ts';

describe.each(['hosted', 'skinsmith'] as const)('A double of %s', (as) => {
  test.each(['read', 'write'] as const)('differs in nothing: %s', async (only) => {
    const double = await open({ as });
    const clock = as === 'skinsmith' ? hastyClock : clockOf(double);
    const { differs, notThere, stays } = await judge(double, { only, clock });
    expect({ differs, stays }).toEqual({ differs: [], stays: [] });
    // The imitation of the hosted service has neither version 1 nor what belongs to its website.
    const left = notThere.filter((id) => !/^v1-|without-version$/.test(id));
    const website = ['me-keys', 'me-client', 'image', 'batch', 'views'];
    expect(as === 'hosted' ? left.filter((id) => !website.includes(id)) : notThere).toEqual([]);
  });
});

test('The run sends the requests of a careful client, except one to the full queue', async () => {
  const double = await open();
  await judge(double);
  double.expect({ keyOnApi: true, onceEach: true, waits: true });
  expect(double.violations()).toEqual([]);
  const submitted = double.requests.filter(({ status, kind }) => kind === 'submit' && status === 202);
  expect(submitted).toHaveLength(5);
  expect(double.requests.filter(({ code }) => code === 'job_limit')).toHaveLength(1);
  expect(double.requests.filter(({ kind, status }) => kind === 'delete' && status === 200)).toHaveLength(5);
});

test('A run that only reads sends GET requests only', async () => {
  const double = await open();
  const { judgements } = await judge(double, { only: 'read' });
  expect(new Set(double.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(judgements.some(({ check }) => check.id === 'queue-file')).toBe(false);
});

/** A server with one fault, the checks that find it, and how the report names it. */
interface Broken {
  readonly fault: string;
  readonly options?: DoubleOptions;
  readonly before?: (fetch: Fetch) => Fetch;
  readonly only?: string;
  readonly differs: readonly string[];
  readonly says: readonly [expected: string, seen: string];
}

const BROKEN: readonly Broken[] = [
  {
    fault: 'accepts with 200 in place of 202',
    before: changing(async (answer, request) =>
      isSubmission(request) && answer.status === 202 ? await withBody(answer, () => {}, 200) : answer,
    ),
    differs: ['queue-file', 'queue-data-url'],
    says: ['POST /v2/queue: status 202', '200'],
  },
  {
    fault: 'calls the status of a job state',
    before: changing(
      async (answer) =>
        await withBody(answer, (body) => {
          const { job } = body as { job?: Record<string, unknown> };
          if (!job) return;
          job['state'] = job['status'];
          delete job['status'];
        }),
    ),
    differs: ['queue-file', 'queue-data-url'],
    says: ['job.status: Invalid option', '"state":"waiting"'],
  },
  {
    fault: 'loses the answers to files',
    before: changing((answer, request) => {
      if (!isSubmission(request) || answer.status !== 202 || isJson(request)) return answer;
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    }),
    differs: ['queue-file'],
    says: ['POST /v2/queue: an answer', 'no answer'],
  },
  {
    fault: 'does not say when the next request may come',
    before: changing(
      async (answer) =>
        await withBody(answer, ({ rateLimit }) => {
          delete (rateLimit as { next?: { relative?: number } } | undefined)?.next?.relative;
        }),
    ),
    differs: ['answers-limits'],
    says: ['rateLimit.next.relative: Invalid input', '"next":{"absolute"'],
  },
  {
    fault: 'has no headers of limits',
    before: changing((answer) => {
      const headers = [...answer.headers].filter(([name]) => !name.startsWith('x-ratelimit'));
      return new Response(answer.body, { status: answer.status, headers });
    }),
    differs: ['answers-limit-headers'],
    says: ['a header X-RateLimit-Limit', 'none'],
  },
  {
    fault: 'takes everyone for its user',
    before: (fetch) => async (request) => {
      const headers = new Headers(request.headers);
      headers.set('authorization', `Bearer ${'5eedf00d'.repeat(9)}`);
      return await fetch(new Request(request, { headers }));
    },
    differs: ['edit-anonymous', 'private'],
    says: ['401 or 403 or 404 with the code unauthorized', '200'],
  },
  {
    fault: 'refuses without a code',
    only: 'read',
    before: changing(async (answer) =>
      answer.status < 400
        ? answer
        : await withBody(answer, (body) => {
            body['message'] = 'no';
            delete body['errors'];
          }),
    ),
    differs: [
      'jobs-list-anonymous',
      'job-unknown',
      'skin-unknown',
      'skin-id-invalid',
      'skins-size',
      'skins-own',
      'me-anonymous',
      'key-unknown',
      'address-unknown',
      'answers-refusals',
    ],
    says: ['job_not_found', '404 {"success":false'],
  },
  {
    fault: 'limits without saying for how long',
    only: 'read',
    options: {
      scenario: {
        rules: [
          { on: { route: 'GET /v2/capes', nth: 1 }, do: { answer: { status: 429, code: 'rate_limit' } } },
        ],
      },
    },
    differs: ['answers-waits'],
    says: ['Retry-After, or rateLimit.next.relative above 0', 'neither'],
  },
];

test.each(sampled(BROKEN, 3))(
  'The run finds that a server $fault, and no other difference',
  async (broken) => {
    const { options, before, only, says } = broken;
    const double = await open(options);
    const { judgements, differs, stays } = await judge(double, {
      ...(before && { before }),
      ...(only && { only }),
    });
    expect(differs).toEqual(broken.differs);
    const texts = judgements
      .filter(({ verdict }) => verdict === 'differs')
      .map(({ expected, seen }) => [expected, seen]);
    expect(texts).toContainEqual(says.map((text) => expect.stringContaining(text)));
    // Nothing that a run made stays, whatever the fault.
    double.advance(1_000); // a job that was not waited for ends
    const { body } = await read(double, '/v2/me/skins?size=100');
    expect({ skins: body.skins, stays }).toEqual({ skins: [], stays: [] });
  },
);

test('Six slots, as in the published source, count as correct', async () => {
  const double = await open({ scenario: { service: { time: 400, slots: 6 } } });
  const { judgements, differs, stays } = await judge(double);
  const full = judgements.find(({ check }) => check.id === 'queue-full');
  expect([differs, stays, full?.verdict, full?.reason]).toEqual([
    [],
    [],
    'pass',
    '5 by the specification, 6 by the published source; this server: 6.',
  ]);
});

/** What the published source answers where skinsmith answers otherwise. */
function asPublished(body: Record<string, unknown>, { url }: Request): void {
  const { skin, rateLimit, capes, keys, key, client } = body as Record<string, Record<string, unknown>>;
  if (skin) {
    if (skin['name'] === null) delete skin['name'];
    skin['shortId'] = String(skin['uuid']).slice(0, 8);
  }
  if (rateLimit) Object.assign(rateLimit, { delay: { millis: 1_250, seconds: 1.25 } });
  if (new URL(url).pathname === '/v2/delay') {
    const limit = { limit: 20, remaining: 19, reset: 1_767_268_860 };
    Object.assign(rateLimit ?? {}, { limit });
  }
  const cape = { uuid: 'ef9e95b6-48a3-4fd7-93d4-7e7d9448d2f1', alias: 'A', url: 'http://localhost/c' };
  if (capes)
    body['capes'] = [
      { ...cape, hash: 'cd', supported: true },
      { ...cape, support: 'owner' },
    ];
  if (key) Object.assign(key, { useCredits: true });
  if (keys)
    body['keys'] = [{ id: '1', name: 'a', billable: false, useCredits: true, metered: false, grants: {} }];
  if (client) Object.assign(client, { billable: true, metered: false });
  for (const job of [body['job'], ...((body['jobs'] ?? []) as unknown[])] as Record<string, unknown>[])
    if (job?.['status'] === 'processing') job['status'] = 'active';
}

test.each(['read', 'write'])(
  'A server that answers as the published source does differs in nothing: %s',
  async (only) => {
    const double = await open({ scenario: { service: { time: [0, 400], slots: 6 } } });
    const before = changing(
      async (answer, request) => await withBody(answer, (body) => asPublished(body, request)),
    );
    const { differs, stays } = await judge(double, { only, before });
    expect([differs, stays]).toEqual([[], []]);
  },
);

test.each([
  ['v1-delay', ['v1-delay'], 0],
  ['submit-url', ['submit-url'], 0],
  ['answers-limits', ['answers-limits'], 0],
  ['queue-full', ['queue-full'], 5],
  ['made-pixels', ['made-pixels'], 5],
])('The check %s is judged alone, with what it needs', async (only, judged, made) => {
  const double = await open();
  const { judgements, differs, stays } = await judge(double, { only });
  expect([judgements.map(({ check }) => check.id), differs, stays]).toEqual([judged, [], []]);
  const accepted = double.requests.filter(({ kind, status }) => kind === 'submit' && status === 202);
  expect(accepted).toHaveLength(made);
});

test('There is no plan for a check that does not exist', () => {
  expect(planOf('made-of-cheese')).toBeUndefined();
});

test('A difference names the request that was sent, as a shell command without the key', async () => {
  const double = await open({
    scenario: { rules: [{ on: { route: 'GET /v2/me' }, do: { answer: { status: 200 } } }] },
  });
  const { judgements } = await judge(double, { only: 'me' });
  expect(judgements[0]?.sent).toBe(
    `curl -X GET '${double.url}/v2/me' -H "Authorization: Bearer $SKINSMITH_API_KEY"`,
  );
  const broken = await judge(double, { only: 'queue-file', before: refusing });
  expect(broken.judgements[0]?.sent).toMatch(
    /^base64 -d <<<[\w+/=]+ \| curl -X POST '\S+\/v2\/queue' -H "Authorization: Bearer \$SKINSMITH_API_KEY" --form-string 'name=cf-\S+' .* -F 'file=@-;filename=skin.png;type=image\/png'$/,
  );
});

const refusing = changing(async (answer, request) =>
  isSubmission(request) ? await withBody(answer, () => {}, 201) : answer,
);

async function read(double: Double, path: string) {
  const headers = { authorization: `Bearer ${double.key}` };
  const answer = await double.fetch(new Request(double.url + path, { headers }));
  return { status: answer.status, body: (await answer.json()) as { skins: unknown[] } };
}

test('A failed job and a completed one in the list are read', async () => {
  const double = await open({ scenario: { service: { time: 0 } } });
  const submit = async (name: string) => {
    const run = openConformance({
      ...{ baseUrl: double.url, apiKey: double.key, fetch: double.fetch, clock: clockOf(double), pause: 0 },
      ...{ signal: new AbortController().signal, plan: planOf('write')!, generations: 1 },
    });
    const draft = run.making.spare();
    await run.session.send('POST', '/v2/queue', { content: { json: { url: draft.dataUrl, name } } });
  };
  await submit('fail-skin_change_failed');
  await submit('fine');
  const { judgements } = await judge(double, { only: 'read' });
  const verdicts = new Map(judgements.map(({ check, verdict }) => [check.id, verdict]));
  expect([verdicts.get('job-failed'), verdicts.get('job-completed'), verdicts.get('skin')]).toEqual([
    'pass',
    'pass',
    'pass',
  ]);
});

test('A job whose skin was deleted counts as correct', async () => {
  const double = await open({ as: 'skinsmith' });
  await judge(double, { clock: hastyClock });
  const { differs, judgements } = await judge(double, { only: 'read', clock: hastyClock });
  const completed = judgements.find(({ check }) => check.id === 'job-completed');
  expect([differs, completed?.reason]).toEqual([[], 'The skins of the newest completed jobs were deleted.']);
});

test('An interrupted run deletes finished skins, and says what happens to the others', async () => {
  const double = await open({ scenario: { service: { time: [0, 3_600_000] } } });
  const stop = new AbortController();
  const stopped = judge(double, {
    signal: stop.signal,
    onJudgement: ({ check }) => {
      if (check.id === 'job-pending') stop.abort(new DOMException('Interrupted', 'AbortError'));
    },
  });
  await expect(stopped).rejects.toThrow('Interrupted');
  expect(double.requests.some(({ kind, status }) => kind === 'delete' && status === 200)).toBe(true);
});

test('A server that disappears during a run ends the run, without failed checks', async () => {
  const double = await open();
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const before = (fetch: Fetch) => async (request: Request) => {
    if (request.url.endsWith('/v2/capes')) throw refused;
    return await fetch(request);
  };
  await expect(judge(double, { only: 'read', before })).rejects.toMatchObject({ code: 'unreachable' });
});

test('A run never deletes a record whose name is not its own', async () => {
  const double = await open();
  const theirs = { name: 'precious', uuid: 'feedfacefeedfacefeedfacefeedface' };
  await judge(double, {
    before: changing(
      async (answer) =>
        await withBody(answer, ({ skin }) => {
          if (skin) Object.assign(skin, theirs);
        }),
    ),
  });
  const deleted = double.requests.filter(({ kind }) => kind === 'delete').map(({ address }) => address);
  expect(deleted.filter((address) => address.includes(theirs.uuid))).toEqual([]);
});

/** What a server at fault does with a submission, and the check that meets it. */
const ACCEPTING: readonly (readonly [string, string, (fetch: Fetch) => Fetch])[] = [
  [
    'accepts what it should refuse',
    'submit-variant',
    (fetch) => async (request) => {
      if (!isSubmission(request)) return await fetch(request);
      const body = await request.text();
      return await fetch(new Request(request, { body: body.replace('"steve"', '"classic"') }));
    },
  ],
  [
    'accepts and answers 500',
    'queue-file',
    changing(async (answer, request) =>
      isSubmission(request)
        ? new Response('{}', { status: 500, headers: { 'content-type': 'application/json' } })
        : answer,
    ),
  ],
];

test.each(ACCEPTING)('The run leaves no skin at a server that %s', async (_what, only, before) => {
  const double = await open();
  const { differs, stays } = await judge(double, { only, before });
  expect([differs, stays]).toEqual([[only], []]);
  const headers = { authorization: `Bearer ${double.key}` };
  const list = await double.fetch(new Request(`${double.url}/v2/me/skins`, { headers }));
  expect((await list.json()) as object).toMatchObject({ skins: [] });
  expect(double.requests.some(({ kind, status }) => kind === 'delete' && status === 200)).toBe(true);
});

test('A skin that a server only seemed to delete is deleted again', async () => {
  const double = await open();
  let lied: string | undefined;
  let isHidden = true;
  const before = (fetch: Fetch) => async (request: Request) => {
    const path = new URL(request.url).pathname;
    if (request.method === 'DELETE' && lied === undefined) {
      lied = path;
      return Response.json({ success: true, messages: [] });
    }
    if (path !== lied || !isHidden) return await fetch(request);
    isHidden = false;
    const errors = [{ code: 'skin_not_found', message: 'No such skin.' }];
    return Response.json({ success: false, errors }, { status: 404 });
  };
  const { differs, stays } = await judge(double, { only: 'delete', before });
  expect([differs, stays]).toEqual([[], []]);
  const { body } = await read(double, '/v2/me/skins');
  expect([isHidden, body.skins]).toEqual([false, []]);
});

test('After an interruption, the run still waits as the server asks before it deletes skins', async () => {
  const waits = (route: string, wait: number) =>
    ({ on: { route, nth: 1 }, do: { fault: 'rate-limit', wait } }) as const;
  const rules = [waits('GET /v2/skins/:uuid', 7_000), waits('DELETE /v2/skins/:uuid', 6_000)];
  const double = await open({ scenario: { service: { time: 400 }, rules } });
  const stop = new AbortController();
  const clock = clockOf(double);
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    if (milliseconds === 7_000) stop.abort(new DOMException('Interrupted', 'AbortError'));
    await clock.sleep(milliseconds, signal);
  };
  const stopped = judge(double, { clock: { ...clock, sleep }, signal: stop.signal });
  await expect(stopped).rejects.toThrow('Interrupted');
  const deleted = double.requests.filter(({ kind }) => kind === 'delete').map(({ status }) => status);
  expect(deleted).toContain(429);
  expect((await read(double, '/v2/me/skins')).body.skins).toEqual([]);
});
