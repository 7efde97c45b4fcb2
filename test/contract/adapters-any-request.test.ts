import { expect, test } from 'vitest';
import type { RequestContent } from '../../src/client/transport.ts';
import type { Route } from '../../src/server/http/route.ts';
import { ROUTES } from '../../src/server/http/routes/routes.ts';
import { type Ask, ask, Masks, type Told } from '../support/http/adapters/asking.ts';
import type { Way } from '../support/http/adapters/both-ways.ts';
import { hearAll, type Transcript } from '../support/http/adapters/transcripts.ts';
import { guardAgainstLeaks } from '../support/server/running-server.ts';
import { sampled } from '../support/setup/extent.ts';

guardAgainstLeaks();

/** Requests that any route may get, right or wrong, made from what the table says of it. */
function usualAsks(route: Route, key: string): Ask[] {
  const { method, paths } = route;
  const isRead = method === 'GET';
  return paths.flatMap((pattern) => {
    const path = pattern.replaceAll(/:\w+(?:\{.*\})?/g, 'x1');
    const hasParams = path !== pattern;
    const odd = (value: string): Ask => ({
      method,
      path: pattern.replaceAll(/:\w+(?:\{.*\})?/g, value),
      key,
    });
    return [
      { method, path },
      { method, path, key: 'sksm_'.padEnd(69, '0') },
      { method, path: `${path}?bogus=1&size=0&size=2&after=%41+b`, key },
      { method, path: `${path}/`, key },
      { method, path: `${path}/more`, key },
      ...(hasParams ? ['a'.repeat(129), '%E0%A4%A', '%2F', '%20', ''].map(odd) : []),
      ...(isRead ? [{ method: 'HEAD', path, key } as const] : []),
      ...(isRead ? [] : wrongContents(route, path, key)),
      ...(SAMPLES.has(route) ? largeContents(route, path, key) : []),
      ...METHODS.filter((other) => !ADDRESSES.has(`${other} ${pattern}`)).map((other) => ({
        method: other,
        path,
      })),
    ];
  });
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
const ADDRESSES: ReadonlySet<string> = new Set(
  ROUTES.flatMap(({ method, paths }) => paths.map((path) => `${method} ${path}`)),
);

/** One of the routes with the same limit and content types: what such a route does with a body does not depend on the rest. */
const SAMPLES: ReadonlySet<Route> = new Set(
  new Map(
    ROUTES.filter(({ method }) => method !== 'GET').map((route) => [
      `${route.bodyLimit} ${Object.keys(route.bodies ?? {})}`,
      route,
    ]),
  ).values(),
);

const NO_PICTURE = Buffer.from('no picture');
const json = (value: unknown): RequestContent => ({ json: value });
const form = (fields: Record<string, string>, bytes = NO_PICTURE): RequestContent => ({
  fields,
  file: { bytes, fileName: 'a.png' },
});

const MANY_FIELDS = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`field${n}`, 'x']));

function wrongContents(route: Route, path: string, key: string): Ask[] {
  const { method, bodies = {} } = route;
  const readsForms = 'multipart/form-data' in bodies || SAMPLES.has(route);
  const contents = [
    json({}),
    json([1]),
    json('text'),
    json({ name: ['x'], url: 1, token: '' }),
    form({ name: 'x', visibility: 'nobody' }),
    // Elsewhere, no form is read.
    ...(readsForms ? [form(MANY_FIELDS), form({ constructor: 'x' }), form({}, Buffer.alloc(0))] : []),
  ];
  return [{ method, path, key }, ...contents.map((content) => ({ method, path, key, content }))];
}

function largeContents({ method, bodyLimit = 128 * 1024 }: Route, path: string, key: string): Ask[] {
  const contents = [
    json({ pad: 'é'.repeat(bodyLimit / 2) }),
    json({ pad: 'x'.repeat(bodyLimit - 10) }),
    form({ name: 'x'.repeat(40_000) }),
    form({}, Buffer.alloc(300 * 1024)),
  ];
  return contents.map((content) => ({ method, path, key, content }));
}

/** The start of it, without the bytes of a file: as JSON they would be a megabyte for each request. */
function nameOf(content: Ask['content']): string {
  if (content === undefined) return '';
  return JSON.stringify('fields' in content ? content.fields : content).slice(0, 60);
}

/** Every twelfth, others with the next route: what a request comes to seldom depends on its route alone. */
function tried(route: Route, asks: readonly Ask[], place: number): readonly Ask[] {
  return sampled(asks, SAMPLES.has(route) ? 2 : 12, place);
}

async function askEveryRoute(way: Way): Promise<Transcript> {
  const masks = new Masks();
  const transcript: [string, unknown][] = [];
  for (const request of ROUTES.flatMap((route, place) => tried(route, usualAsks(route, way.key), place))) {
    const { method, path, content, key } = request;
    const sent = nameOf(content);
    const who = key === undefined ? 'nobody' : key === way.key ? 'the owner' : 'a stranger';
    transcript.push([
      `${method} ${path} ${sent} by ${who}`,
      masks.mask(withoutCounts(path, await ask(way, request))),
    ]);
  }
  return transcript;
}

/** The counts of /metrics are those of a process, not of a service. */
function withoutCounts(path: string, told: Told): Told {
  const isCounts = path.startsWith('/metrics') && told.status === 200;
  return isCounts ? { ...told, body: 'counts' } : told;
}

test('Each route answers any request the same over the network and inside the process', async () => {
  const [network, inside] = await hearAll(askEveryRoute);
  expect(inside).toEqual(network);
});
