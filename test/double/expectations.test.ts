import { describe, expect, onTestFinished, test } from 'vitest';
import { type Double, startDouble } from '../../src/double/double.ts';
import { SCENARIOS } from '../../src/double/scenario.ts';
import type { Skin } from '../../src/protocol/skin.ts';
import { dataUrl, skinPng } from '../support/server/drawn-skins.ts';
import { isWhole } from '../support/setup/whole-run.ts';

async function open(scenario: Parameters<typeof startDouble>[0] = {}): Promise<Double> {
  const double = await startDouble({ listens: false, clock: 'manual', ...scenario });
  double.expect({ polite: true });
  onTestFinished(async () => await double.stop().catch(() => {}));
  return double;
}

interface Heard {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined: no JSON. */
  readonly body: Body | undefined;
}

interface Body {
  readonly job?: { readonly id: string; readonly status: string; readonly eta?: number };
  readonly jobs?: readonly { readonly id: string; readonly status: string }[];
  readonly skin?: Skin;
  readonly data?: { readonly texture: { readonly value: string } };
  readonly delayInfo?: { readonly millis: number };
  readonly rateLimit?: { readonly next: { readonly relative: number } };
}

type Sent = Pick<RequestInit, 'method' | 'headers' | 'body'>;

/** What a client hears; undefined: the connection broke. Time passes as long as there is no answer. */
async function call(double: Double, path: string, init: Sent = {}): Promise<Heard | undefined> {
  const headers = { authorization: `Bearer ${double.key}`, ...init.headers };
  const answer = double.fetch(new Request(double.url + path, { ...init, headers }));
  const heard = answer.then(
    async (response) => ({
      status: response.status,
      headers: response.headers,
      body: (await response.json().catch(() => undefined)) as Body | undefined,
    }),
    () => undefined,
  );
  let isHeard = false;
  void heard.then(() => {
    isHeard = true;
  });
  for (let round = 0; !isHeard; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (round > 20) double.advance(50);
  }
  return await heard;
}

const JSON_TYPE = { 'content-type': 'application/json' };

function picture(number: number, fields: object = {}): Sent {
  const body = JSON.stringify({ url: dataUrl(skinPng(number)), ...fields });
  return { method: 'POST', headers: JSON_TYPE, body };
}

async function submit(double: Double, number: number, name?: string): Promise<Heard | undefined> {
  return await call(double, '/v2/queue', picture(number, name === undefined ? {} : { name }));
}

/** How a client goes about its work. All that is not said is careful. */
interface Style {
  /** Where it submits; default: /v2/queue. */
  readonly path?: string;
  /** Milliseconds before the first look at a job, and between two. */
  readonly looks?: { readonly first?: number; readonly every?: number; readonly growing?: boolean };
  /** Whether it polls jobs, the list, or waits for the eta first; default: jobs. */
  readonly by?: 'job' | 'list' | 'eta';
  /** What it does when it does not know whether a submission was accepted; default: it looks at the list. */
  readonly unknown?: 'look' | 'give up';
  /** How many it submits at once; default: 1. */
  readonly parallel?: number;
  readonly form?: 'json' | 'upload';
  readonly hasKey?: boolean;
}

const GOOD_CLIENTS: Readonly<Record<string, Style>> = {
  'polls every second': {},
  'polls ever more rarely': { looks: { first: 1_000, every: 1_000, growing: true } },
  'watches the list': { by: 'list', looks: { every: 2_000 } },
  'waits for the eta': { by: 'eta' },
  'keeps five jobs going': { parallel: 5, unknown: 'give up' },
  'keeps two jobs going': { parallel: 2, unknown: 'give up', looks: { every: 3_000 } },
  'uploads a form': { form: 'upload' },
  'waits with POST /v2/generate': { path: '/v2/generate' },
  'uses version 1 without a key': { path: '/generate/url', unknown: 'give up', hasKey: false },
  'uploads to version 1': { path: '/generate/upload', form: 'upload', unknown: 'give up' },
  'is the official Java client': { unknown: 'give up', looks: { first: 2_000, every: 1_000 } },
};

class GoodClient {
  readonly #double: Double;
  readonly #style: Style;
  /** Jobs that it knows of. */
  readonly #jobs = new Set<string>();

  constructor(double: Double, style: Style) {
    this.#double = double;
    this.#style = style;
  }

  /** @returns how many skins it got */
  async make(count: number): Promise<number> {
    const { parallel = 1 } = this.#style;
    let made = 0;
    for (let first = 0; first < count; first += parallel) {
      const numbers = Array.from({ length: parallel }, (_, n) => first + n);
      const jobs: (string | boolean)[] = [];
      for (const number of numbers) jobs.push(await this.#submit(number));
      for (const job of jobs) if (typeof job === 'string' ? await this.#wait(job) : job) made++;
    }
    return made;
  }

  /** @returns its job, or whether its skin is there */
  async #submit(number: number, tries = 5): Promise<string | boolean> {
    if (tries === 0) return false;
    const heard = await this.#call(this.#style.path ?? '/v2/queue', this.#sent(number));
    if (heard?.body && heard.status < 300) return this.#accepted(heard.body);
    if (heard?.status === 429) {
      this.#double.advance(Math.max(1_000, waitOf(heard)));
      return await this.#submit(number, tries - 1);
    }
    if (heard?.body && heard.status < 500) return false;
    if (this.#style.unknown === 'give up') return false;
    const job = await this.#look();
    return job ?? (await this.#submit(number, tries - 1));
  }

  #accepted({ job, skin, data }: Body): string | boolean {
    if (job) this.#jobs.add(job.id);
    if (job && this.#style.by === 'eta' && job.eta !== undefined) this.#double.advance(1_000);
    return skin || data ? true : (job?.id ?? false);
  }

  /** The job of a lost answer: the list may be behind. */
  async #look(): Promise<string | undefined> {
    for (let look = 0; look < 12; look++) {
      this.#double.advance(2_000);
      const heard = await this.#call('/v2/queue');
      const job = heard?.body?.jobs?.find(({ id }) => !this.#jobs.has(id));
      if (job) this.#jobs.add(job.id);
      if (job) return job.id;
    }
    return undefined;
  }

  async #wait(id: string): Promise<boolean> {
    const { looks: { first = 1_000, every = 1_000, growing = false } = {}, by } = this.#style;
    this.#double.advance(first);
    for (let look = 1; look <= 30; look++) {
      const jobs = by === 'list' ? (await this.#call('/v2/queue'))?.body?.jobs : undefined;
      const isOver = by !== 'list' || jobs?.some((job) => job.id === id && job.status === 'completed');
      const heard = isOver ? await this.#call(`/v2/queue/${id}`) : undefined;
      if (heard?.body?.skin) return true;
      if (heard?.body?.job?.status === 'failed') return false;
      this.#double.advance(growing ? every * look : every);
    }
    return false;
  }

  #sent(number: number): Sent {
    if (this.#style.form !== 'upload') return picture(number);
    const body = new FormData();
    body.set('file', new Blob([new Uint8Array(skinPng(number))]), `skin-${number}.png`);
    return { method: 'POST', body };
  }

  async #call(path: string, init: Sent = {}): Promise<Heard | undefined> {
    const headers = this.#style.hasKey === false ? { authorization: '' } : {};
    return await call(this.#double, path, { ...init, headers: { ...init.headers, ...headers } });
  }
}

/** What a 429 asks for, in milliseconds. */
function waitOf({ headers, body }: Heard): number {
  const named = headers.get('retry-after');
  if (named === null) return body?.rateLimit?.next.relative ?? body?.delayInfo?.millis ?? 0;
  if (/^\d+$/.test(named)) return Number(named) * 1_000;
  return Date.parse(named) - Date.parse(headers.get('date') ?? '');
}

/** All in `.ci/run`; else every eighth one, others in the next scenario. */
const clientsIn = (place: number) =>
  Object.entries(GOOD_CLIENTS).filter((_, client) => isWhole || (client + place) % 8 === 0);

describe.each(Object.keys(SCENARIOS).map((scenario, place) => [scenario, place] as const))(
  'In the scenario %s',
  (scenario, place) => {
    test.each(clientsIn(place))('no alarm is raised for a client that %s', async (_, style) => {
      const double = await open({ scenario });
      const made = await new GoodClient(double, style).make(6);
      expect(double.violations()).toEqual([]);
      expect(made).toBeGreaterThan(scenario === 'maintenance' && style.unknown === 'give up' ? -1 : 2);
    });
  },
);

/** Each does one thing that it must not, in a double whose jobs take ten seconds. */
const BAD_CLIENTS: readonly (readonly [string, string, (double: Double) => Promise<unknown>])[] = [
  [
    'sends a lost submission again after two seconds',
    'onceEach',
    async (double) => {
      await submit(double, 1, 'lose');
      double.advance('2s');
      await submit(double, 1, 'lose');
    },
  ],
  [
    'sends it again when the job is done, without a look at the list',
    'onceEach',
    async (double) => {
      await submit(double, 1, 'cut');
      double.advance('1m');
      expect((await submit(double, 1, 'cut'))?.status).toBe(200);
    },
  ],
  [
    'does so with POST /v2/generate',
    'onceEach',
    async (double) => {
      await call(double, '/v2/generate', picture(1, { name: 'lose' }));
      await call(double, '/v2/generate', picture(1, { name: 'lose' }));
    },
  ],
  [
    'polls the list every 100 ms',
    'pollGap',
    async (double) => {
      await submit(double, 1);
      for (let poll = 0; poll < 5; poll++) {
        double.advance(100);
        await call(double, '/v2/queue');
      }
    },
  ],
  [
    'sends JSON as text',
    'accepted',
    (double) => call(double, '/v2/queue', { ...picture(1), headers: { 'content-type': 'text/plain' } }),
  ],
  ['sends no key', 'accepted', (double) => call(double, '/v2/queue', withHeader(picture(1), ''))],
  [
    'sends a wrong key',
    'accepted',
    (double) => call(double, '/v2/queue', withHeader(picture(1), `Bearer ${'0'.repeat(72)}`)),
  ],
  [
    'sends the key in the address',
    'accepted',
    (double) => call(double, `/generate/url?key=${double.key}`, picture(1)),
  ],
  ['submits nothing', 'accepted', (double) => call(double, '/v2/queue', picture(1, { url: undefined }))],
];

function withHeader(sent: Sent, authorization: string): Sent {
  return { ...sent, headers: { ...JSON_TYPE, authorization } };
}

test.each(BAD_CLIENTS)('An alarm is raised for a client that %s', async (_, expectation, client) => {
  const double = await open({ scenario: { service: { time: '10s' } } });
  await client(double);
  expect(double.violations().map((violation) => violation.expectation)).toEqual([expectation]);
  expect(JSON.stringify(double.requests)).not.toContain(double.key);
});

test('A client may submit again what the list does not show, and request the list right after a submission', async () => {
  const double = await open();
  await submit(double, 1, 'lose');
  await call(double, '/v2/queue');
  double.advance('1m');
  await submit(double, 1, 'lose');
  await submit(double, 2);
  await call(double, '/v2/queue');
  expect(double.violations()).toEqual([]);
});

test('Tests may submit one picture under many names, and again once its job has ended', async () => {
  const double = await open({ scenario: { service: { slots: 9 } } });
  for (const name of ['never', 'slow-5000', 'fail-job_failed', 'slow-5000.b']) await submit(double, 1, name);
  const short = await submit(double, 1, 'slow-100');
  double.advance('1s');
  await call(double, `/v2/queue/${short?.body?.job?.id}`);
  await submit(double, 1, 'slow-100');
  expect(double.violations()).toEqual([]);
});

test('Refusals by a scenario do not count against the client, and the expectation "accepted" can be switched off', async () => {
  const double = await open();
  await submit(double, 1, 'refuse-invalid_api_key');
  await submit(double, 2, 'limit-slots');
  expect(double.violations()).toEqual([]);
  await call(double, '/v2/queue', withHeader(picture(3), ''));
  double.expect({ accepted: false });
  expect(double.violations()).toEqual([]);
});
