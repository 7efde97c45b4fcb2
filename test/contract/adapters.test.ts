import { describe, expect, test } from 'vitest';
import type { Route } from '../../src/server/http/route.ts';
import { ROUTES } from '../../src/server/http/routes/routes.ts';
import { type Ask, ask, Masks, type Told } from '../support/http/adapters/asking.ts';
import { openBehindProxy, WAYS, type Way } from '../support/http/adapters/both-ways.ts';
import { guardAgainstLeaks } from '../support/server/running-server.ts';
import { askOf, type Known, learn, STORY } from './adapter-story.ts';

guardAgainstLeaks();

/** What was asked, and what was answered. */
type Transcript = readonly (readonly [asked: string, told: unknown])[];

function knownOf({ key }: Way): Known {
  return { owner: key, user: '', keyId: '', job: '', skin: '', cape: '', texture: '' };
}

async function tellStory(way: Way): Promise<Transcript> {
  const known = knownOf(way);
  const masks = new Masks();
  const transcript: [string, unknown][] = [];
  for (const step of STORY) {
    const told = await ask(way, askOf(step, known));
    learn(step, told, known);
    transcript.push([step.route, masks.mask(told)]);
  }
  return transcript;
}

/** Requests that any route may get, right or wrong, made from what the table says of it. */
function usualAsks(route: Route, key: string): Ask[] {
  const { method, paths } = route;
  const isRead = method === 'GET';
  return paths.flatMap((pattern) => {
    const path = pattern.replaceAll(/:\w+/g, 'x1');
    const hasParams = path !== pattern;
    const odd = (value: string): Ask => ({ method, path: pattern.replaceAll(/:\w+/g, value), key });
    return [
      { method, path },
      { method, path, key: 'sksm_'.padEnd(69, '0') },
      { method, path: `${path}?bogus=1&size=0&size=2&after=%41+b`, key },
      { method, path: `${path}/`, key },
      { method, path: `${path}/more`, key },
      ...(hasParams ? ['a'.repeat(129), '%E0%A4%A', '%2F', '%20', ''].map(odd) : []),
      ...(isRead ? [{ method: 'HEAD', path, key } as const] : []),
      ...(isRead ? [] : wrongContents(route, path, key)),
      ...METHODS.filter((other) => other !== method).map((other) => ({ method: other, path })),
    ];
  });
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

function wrongContents({ method, bodyLimit = 128 * 1024 }: Route, path: string, key: string): Ask[] {
  const json = (value: unknown): Ask => ({ method, path, key, content: { json: value } });
  const form = (fields: Record<string, string>, bytes = Buffer.from('no picture')): Ask => ({
    method,
    path,
    key,
    content: { fields, file: { bytes, fileName: 'a.png' } },
  });
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`field${n}`, 'x']));
  return [
    { method, path, key },
    json({}),
    json([1]),
    json('text'),
    json({ name: ['x'], url: 1, token: '' }),
    json({ pad: 'é'.repeat(bodyLimit / 2) }),
    json({ pad: 'x'.repeat(bodyLimit - 10) }),
    form({ name: 'x', visibility: 'nobody' }),
    form(many),
    form({ constructor: 'x' }),
    form({ name: 'x'.repeat(40_000) }),
    form({}, Buffer.alloc(300 * 1024)),
    form({}, Buffer.alloc(0)),
  ];
}

/** The start of it, without the bytes of a file: as JSON they would be a megabyte for each request. */
function nameOf(content: Ask['content']): string {
  if (content === undefined) return '';
  return JSON.stringify('json' in content ? content.json : content.fields).slice(0, 60);
}

async function askEveryRoute(way: Way): Promise<Transcript> {
  const masks = new Masks();
  const transcript: [string, unknown][] = [];
  for (const request of ROUTES.flatMap((route) => usualAsks(route, way.key))) {
    const { method, path, content, key } = request;
    const sent = nameOf(content);
    const who = key === undefined ? 'nobody' : key === way.key ? 'the owner' : 'a stranger';
    transcript.push([
      `${method} ${path} ${sent} by ${who}`,
      masks.mask(withoutCounts(await ask(way, request))),
    ]);
  }
  return transcript;
}

/** The counts of /metrics are those of a process, not of a service. */
function withoutCounts(told: Told): Told {
  const isCounts = String(told.body).startsWith('# HELP ');
  return isCounts ? { ...told, body: 'counts' } : told;
}

/** What each service told, first the one on the network. */
async function hearAll(tell: (way: Way) => Promise<Transcript>): Promise<Transcript[]> {
  const ways = [...Object.values(WAYS), openBehindProxy];
  return await Promise.all(ways.map(async (open) => await tell(await open())));
}

describe('Over the network, inside the process and behind a proxy', () => {
  test('each route answers what it is made for, and none is left out', async () => {
    const all = ROUTES.flatMap(({ method, paths: [path] }) => `${method} ${path}`);
    expect(new Set(STORY.map(({ route }) => route))).toEqual(new Set(all));
    const [network, ...others] = await hearAll(tellStory);
    for (const told of others) expect(told).toEqual(network);
  });

  test('each route answers the same to whatever else it is asked', async () => {
    const [network, ...others] = await hearAll(askEveryRoute);
    for (const told of others) expect(told).toEqual(network);
  });
});
