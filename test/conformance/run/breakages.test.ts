import { expect, test } from 'vitest';
import type { DoubleOptions } from '../../../src/double/double.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import {
  changing,
  type Fetch,
  isSubmission,
  judge,
  openDouble,
  withBody,
} from '../../support/conformance/judge.ts';
import { hasty } from '../../support/server/hasty-clock.ts';
import { sampled } from '../../support/setup/extent.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of a server at fault
type Body = any;

interface Breakage {
  /** What the proxy in front of a good server does. */
  readonly fault: string;
  /** Changes a JSON answer. */
  readonly change?: (body: Body, request: Request) => void;
  /** Changes any answer. */
  readonly proxy?: (fetch: Fetch) => Fetch;
  readonly as?: DoubleOptions['as'];
  readonly scenario?: DoubleOptions['scenario'];
  /** A part, or a check; default: write. */
  readonly only?: string;
  /** The checks that notice it. */
  readonly noticed: readonly string[];
  /** Whether skins stay, which the run must say. */
  readonly leaves?: boolean;
}

const pathOf = ({ url }: Request) => new URL(url).pathname;
const rows = (body: Body): Body[] => [body.job, ...(body.jobs ?? [])].filter(Boolean);

/** The skin of an answer is changed after the first one was seen. */
function afterFirst(change: (skin: Body, first: Body) => void): (body: Body) => void {
  let first: Body;
  return ({ skin }) => {
    if (!skin?.texture) return;
    first ??= structuredClone(skin);
    if (skin.uuid !== first.uuid) change(skin, first);
  };
}

const status = (from: number, to: number) =>
  changing(async (answer) => (answer.status === from ? await withBody(answer, () => {}, to) : answer));

/** A header of each answer is changed. */
const header = (name: string, change: (value: string) => string | undefined) =>
  changing((answer) => {
    const value = answer.headers.get(name);
    if (value === null) return answer;
    const headers = new Headers(answer.headers);
    const changed = change(value);
    if (changed === undefined) headers.delete(name);
    else headers.set(name, changed);
    return new Response(answer.body, { status: answer.status, headers });
  });

/** Requests are answered in place of the server. */
const instead =
  (is: (request: Request) => boolean, answer: (request: Request) => Response) => (fetch: Fetch) =>
    (async (request) => (is(request) ? answer(request) : await fetch(request))) as Fetch;

/** The request is changed on its way. */
const sending = (change: (request: Request) => Promise<Request> | Request) => (fetch: Fetch) =>
  (async (request) => await fetch(await change(request))) as Fetch;

const LIMITED: DoubleOptions['scenario'] = {
  service: { time: 400 },
  rules: [{ on: { route: 'GET /v2/capes', nth: 1 }, do: { fault: 'rate-limit', wait: 8_000 } }],
};

const ANOTHER = encodePng({ width: 64, height: 64, pixels: new Uint8Array(64 * 64 * 4).fill(255) });

const BREAKAGES: readonly Breakage[] = [
  {
    fault: 'gives every skin the same value and signature',
    change: afterFirst((skin, first) => Object.assign(skin, { texture: first.texture })),
    noticed: ['made-pixels', 'made-different'],
  },
  {
    fault: 'gives every skin the value of the first one',
    change: afterFirst((skin, first) =>
      Object.assign(skin.texture.data, { value: first.texture.data.value }),
    ),
    noticed: ['made-pixels', 'made-different'],
  },
  {
    fault: 'gives every skin the signature of the first one',
    change: afterFirst((skin, first) =>
      Object.assign(skin.texture.data, { signature: first.texture.data.signature }),
    ),
    noticed: ['made-different'],
  },
  {
    fault: 'signs with 512 bytes of 0x07',
    change: ({ skin }) => {
      if (skin?.texture) skin.texture.data.signature = Buffer.alloc(512, 7).toString('base64');
    },
    noticed: ['made-different'],
  },
  {
    fault: 'publishes a key and signs with another one',
    as: 'skinsmith',
    only: 'made-skin',
    change: ({ skin }) => {
      if (skin?.texture) skin.texture.data.signature = Buffer.alloc(512, 7).toString('base64');
    },
    noticed: ['made-skin'],
  },
  {
    fault: 'serves another picture as texture',
    proxy: instead(
      (request) => /^\/textures?\//.test(pathOf(request)),
      () => new Response(ANOTHER as Uint8Array<ArrayBuffer>, { headers: { 'content-type': 'image/png' } }),
    ),
    noticed: ['made-pixels'],
  },
  {
    fault: 'has no textures',
    proxy: instead(
      (request) => /^\/textures?\//.test(pathOf(request)),
      () => new Response('gone', { status: 404 }),
    ),
    noticed: ['texture', 'made-pixels'],
  },
  {
    fault: 'names a texture by a wrong hash',
    change: ({ skin }) => {
      if (skin?.texture) skin.texture.hash.skin = 'ab'.repeat(32);
    },
    noticed: ['skin', 'skin-texture', 'made-skin', 'known-queue', 'generate', 'made-different'],
  },
  {
    fault: 'cuts values',
    change: ({ skin }) => {
      if (skin?.texture) skin.texture.data.value = skin.texture.data.value.slice(0, 100);
    },
    noticed: ['skin', 'made-skin', 'made-pixels'],
  },
  {
    fault: 'calls every skin classic',
    change: ({ skin }) => {
      if (skin) skin.variant = 'classic';
    },
    noticed: ['made-skin', 'made-variant'],
  },
  {
    fault: 'cuts names after 16 characters',
    change: ({ skin, skins }) => {
      for (const one of [skin, ...(skins ?? [])]) if (one?.name) one.name = one.name.slice(0, 16);
    },
    noticed: ['made-skin'],
  },
  {
    fault: 'drops names',
    change: ({ skin, skins }) => {
      for (const one of [skin, ...(skins ?? [])]) if (one) one.name = null;
    },
    noticed: ['made-skin', 'edit'],
    leaves: true,
  },
  {
    fault: 'makes unlisted skins public',
    change: ({ skin }) => {
      if (skin) skin.visibility = 'public';
    },
    noticed: ['made-skin', 'private'],
  },
  {
    fault: 'shows private skins to everyone',
    proxy: sending((request) => {
      const headers = new Headers(request.headers);
      if (request.method === 'GET' && /^\/v2\/skins\/\w{32}/.test(pathOf(request)))
        headers.set('authorization', `Bearer ${'5eedf00d'.repeat(9)}`);
      return new Request(request, { headers });
    }),
    noticed: ['private'],
  },
  {
    fault: 'lists own skins as public ones',
    proxy: (fetch) => async (request) => {
      if (pathOf(request) !== '/v2/skins') return await fetch(request);
      const headers = { authorization: `Bearer ${'5eedf00d'.repeat(9)}` };
      return await fetch(new Request(request.url.replace('/v2/skins', '/v2/me/skins'), { headers }));
    },
    noticed: ['unlisted', 'private'],
  },
  {
    fault: 'gives times of jobs in seconds',
    change: (body) => {
      for (const job of rows(body)) if (job.timestamp) job.timestamp = Math.floor(job.timestamp / 1_000);
    },
    noticed: ['answers-times'],
  },
  {
    fault: 'gives the eta of jobs in seconds',
    change: ({ job }) => {
      if (job?.eta) job.eta = Math.floor(job.eta / 1_000);
    },
    noticed: ['answers-times'],
  },
  {
    fault: 'gives the time of generation in seconds',
    change: ({ skin }) => {
      if (skin?.generator) skin.generator.timestamp = Math.floor(skin.generator.timestamp / 1_000);
    },
    noticed: ['answers-times'],
  },
  {
    fault: 'gives the moment of the next request in seconds',
    change: ({ rateLimit }) => {
      if (rateLimit?.next) rateLimit.next.absolute = Math.floor(rateLimit.next.absolute / 1_000);
    },
    noticed: ['answers-times'],
  },
  {
    fault: 'gives the end of windows in milliseconds',
    change: ({ rateLimit }) => {
      if (rateLimit?.limit?.minute) rateLimit.limit.minute.reset *= 1_000;
    },
    noticed: ['answers-limit-headers', 'answers-times'],
  },
  {
    fault: 'gives the wait until the next request in seconds',
    scenario: { service: { time: 400, perMinute: 5 } },
    change: ({ rateLimit }) => {
      if (rateLimit?.next) rateLimit.next.relative = Math.round(rateLimit.next.relative / 1_000);
    },
    noticed: ['answers-times'],
  },
  {
    fault: 'gives Retry-After in milliseconds',
    scenario: LIMITED,
    only: 'read',
    proxy: header('retry-after', (value) => `${Number(value) * 1_000}`),
    noticed: ['answers-times'],
  },
  {
    fault: 'gives the delay of version 1 in milliseconds',
    as: 'skinsmith',
    only: 'v1-delay',
    change: (body) => {
      if (body.millis !== undefined) Object.assign(body, { millis: 5_000, seconds: 5, delay: 5_000 });
    },
    noticed: ['v1-delay'],
  },
  {
    fault: 'gives the next request of version 1 in seconds',
    as: 'skinsmith',
    only: 'v1-delay',
    change: ({ nextRequest }) => {
      if (nextRequest) nextRequest.time = Math.floor(nextRequest.time / 1_000);
    },
    noticed: ['v1-delay'],
  },
  {
    fault: 'has the value of version 1 where version 2 has it',
    as: 'skinsmith',
    only: 'v1-upload',
    change: (body) => {
      if (body.data) body.texture = body.data.texture;
      delete body.data;
    },
    noticed: ['v1-upload'],
  },
  {
    fault: 'answers version 1 with the model of version 2',
    as: 'skinsmith',
    only: 'v1-url',
    change: (body) => {
      if (body.model === 'steve') body.model = 'classic';
      if (body.model === 'slim') body.model = 'alex';
    },
    noticed: ['v1-url'],
  },
  {
    fault: 'has seven slots',
    scenario: { service: { time: 400, slots: 7 } },
    noticed: ['queue-full'],
  },
  {
    fault: 'says that it deleted what it keeps',
    proxy: instead(
      ({ method }) => method === 'DELETE',
      () => Response.json({ success: true, messages: [] }),
    ),
    noticed: ['delete'],
    leaves: true,
  },
  {
    fault: 'says so, and lists no skins',
    proxy: (fetch) =>
      changing(async (answer, request) =>
        pathOf(request) === '/v2/me/skins'
          ? await withBody(answer, (body: Body) => Object.assign(body, { skins: [] }))
          : answer,
      )(
        instead(
          ({ method }) => method === 'DELETE',
          () => Response.json({ success: true }),
        )(fetch),
      ),
    noticed: ['own-list', 'private', 'delete'],
    leaves: true,
  },
  {
    fault: 'deletes nothing, and says so',
    proxy: instead(
      ({ method }) => method === 'DELETE',
      () =>
        Response.json({ success: false, errors: [{ code: 'not_allowed', message: 'no' }] }, { status: 405 }),
    ),
    noticed: ['delete'],
    leaves: true,
  },
  {
    fault: 'has no messages in its notes',
    change: (body) => {
      for (const list of ['messages', 'warnings', 'errors'])
        for (const note of body[list] ?? []) delete note.message;
    },
    noticed: ['answers-envelope'],
  },
  {
    fault: 'does not say that a job is completed',
    change: (body) => {
      body.messages = [];
    },
    noticed: ['made-job'],
  },
  {
    fault: 'has the UUID of another skin as result',
    change: ({ job }) => {
      if (job?.result) job.result = '0123456789abcdef'.repeat(2);
    },
    noticed: ['made-job'],
  },
  {
    fault: 'lists jobs in the wrong order',
    change: (body) => {
      body.jobs?.reverse();
    },
    only: 'read',
    scenario: { service: { time: 400 } },
    noticed: ['jobs-list'],
  },
  {
    fault: 'makes a new job of a known picture',
    change: (body, request) => {
      if (isSubmission(request) && body.skin) {
        delete body.skin;
        body.job.status = 'waiting';
      }
    },
    noticed: ['known-queue'],
  },
  {
    fault: 'pages without end',
    proxy: sending((request) => new Request(request.url.replace(/&after=\w+/, ''), request)),
    only: 'read',
    noticed: ['skins-public'],
  },
  {
    fault: 'refuses with 422 in place of 400',
    proxy: status(400, 422),
    noticed: ['submit-nothing', 'submit-url', 'submit-name'],
  },
  {
    fault: 'says 403 of jobs that are not there',
    proxy: status(404, 403),
    only: 'job-unknown',
    noticed: ['job-unknown'],
  },
  {
    fault: 'says success of refusals',
    change: (body) => {
      body.success = true;
    },
    only: 'read',
    noticed: ['answers-envelope'],
  },
  {
    fault: 'takes unknown keys for no key',
    proxy: sending((request) => {
      const headers = new Headers(request.headers);
      if (headers.get('authorization')?.includes('f0f0')) headers.delete('authorization');
      return new Request(request, { headers });
    }),
    only: 'read',
    noticed: ['key-unknown'],
  },
  {
    fault: 'repeats the key where it describes it',
    proxy: changing(async (answer, request) =>
      pathOf(request) === '/v2/me/apikey'
        ? await withBody(answer, (body: Body) => Object.assign(body.key, { text: '5eedf00d'.repeat(9) }))
        : answer,
    ),
    only: 'read',
    noticed: ['me-key'],
  },
  {
    fault: 'redirects to the texture of another skin',
    proxy: header('location', (value) => value.replace(/\w{64}$/, 'ab'.repeat(32))),
    noticed: ['skin-texture'],
  },
  {
    fault: 'has other numbers in the headers of limits',
    proxy: header('x-ratelimit-remaining', () => '12'),
    noticed: ['answers-limit-headers'],
  },
  {
    fault: 'changes nothing when a skin is edited',
    proxy: instead(
      ({ method }) => method === 'PATCH',
      () => Response.json({ success: true }),
    ),
    noticed: ['edit', 'private'],
  },
  {
    fault: 'has capes without an address',
    scenario: {
      rules: [
        {
          on: { route: 'GET /v2/capes' },
          do: { answer: { status: 200, body: { success: true, capes: [{ uuid: 'a', alias: 'b' }] } } },
        },
      ],
    },
    only: 'capes',
    noticed: ['capes'],
  },
];

test.each(sampled(BREAKAGES, 8, 3))('The run notices that a server $fault', async (broken) => {
  const {
    change,
    proxy = (fetch: Fetch) => fetch,
    as = 'hosted',
    scenario,
    only = 'write',
    noticed,
  } = broken;
  const double = await openDouble({ as, ...(scenario && { scenario }) });
  if (as === 'hosted') await addPublicSkins(double);
  const altering = changing(async (answer, request) =>
    change ? await withBody(answer, (body) => change(body, request)) : answer,
  );
  const run = await judge(double, {
    only,
    before: (fetch) => altering(proxy(fetch)),
    // A real service makes the skins, so a busy machine needs its time.
    ...(as === 'skinsmith' && { clock: hasty(10) }),
  });
  const stayed = await skinsIn(double);
  expect(run.differs).toEqual(expect.arrayContaining([...noticed]));
  // A run leaves nothing without a word.
  expect(stayed.length > 0).toBe(broken.leaves ?? false);
  for (const { uuid } of stayed) expect(run.stays.join('\n')).toContain(uuid);
});

type Running = Awaited<ReturnType<typeof openDouble>>;

/** Skins for the public lists, whatever a run makes. */
async function addPublicSkins(double: Running): Promise<void> {
  const { url, key, fetch } = double;
  for (let shade = 0; shade < 3; shade++) {
    const png = encodePng({ width: 64, height: 64, pixels: new Uint8Array(64 * 64 * 4).fill(255 - shade) });
    const body = JSON.stringify({ url: `data:image/png;base64,${Buffer.from(png).toString('base64')}` });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    await fetch(new Request(`${url}/v2/queue`, { method: 'POST', headers, body }));
    double.advance(61_000);
  }
}

/** What a run left. */
async function skinsIn(double: Running): Promise<{ readonly uuid: string }[]> {
  double.advance(1_000);
  const headers = { authorization: `Bearer ${double.key}` };
  const answer = await double.fetch(new Request(`${double.url}/v2/me/skins?size=100`, { headers }));
  const { skins } = (await answer.json()) as { skins: { uuid: string; name?: string | null }[] };
  return skins.filter(({ name }) => name?.startsWith('cf-'));
}
