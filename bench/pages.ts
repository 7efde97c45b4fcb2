/** P15: the pages of a very large store. */
import { get } from 'node:http';
import { join } from 'node:path';
import { fillStore } from './filling.ts';
import { requestBytes, timeRequests } from './load.ts';
import { Machine } from './machine.ts';
import { startOwn } from './services.ts';
import { untilKnown } from './submitting.ts';
import { difference, type Row } from './table.ts';

const SKINS = 1_000_000;
const REQUESTS = 200;
const HTML = { Accept: 'text/html', 'Accept-Encoding': 'gzip' };
/** Limits: milliseconds on loopback, KB with everything but the 3D viewer. */
const FIRST_BYTE = 20;
const WEIGHT = 70;

const PAGES = {
  'the start page': '/',
  'the gallery': '/ui/gallery',
  'the most popular': '/ui/gallery?sort=popular',
};

export async function pageRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const options = { pace: 0, workers: 1 };
    const before = await startOwn(machine, options);
    await untilKnown(before);
    const pages = { ...PAGES, 'a skin': await pathOfSkin(before.url) };
    const pictures = await picturesOf(before.url, Object.values(pages));
    await before.close();
    fillStore(join(machine.dataDir, 'skinsmith.db'), SKINS);
    const { url, close } = await startOwn(machine, options);
    try {
      const rows: Row[] = [];
      for (const [name, path] of Object.entries(pages))
        rows.push(...(await measure(name, `${url}${path}`, pictures)));
      return rows;
    } finally {
      await close();
    }
  });
}

/** Bytes of a skin's pictures on cards, by their addresses without the skin. */
type Pictures = ReadonlyMap<string, number>;

/** The filled store has no real textures, so all cards count like those of its first skin. */
async function picturesOf(url: string, paths: readonly string[]): Promise<Pictures> {
  const pictures = new Map<string, number>();
  for (const path of paths) {
    const { text } = await load(`${url}${path}`);
    for (const address of picturesIn(text))
      pictures.set(nameOf(address), (await load(`${url}${address}`)).bytes);
  }
  return pictures;
}

/** The page of the only skin of a store. */
async function pathOfSkin(url: string): Promise<string> {
  const { text } = await load(`${url}/ui/gallery`);
  const [path] = /\/ui\/skins\/[0-9a-f]{32}/.exec(text) ?? [];
  if (path === undefined) throw new Error('The gallery has no skin.');
  return path;
}

/** Addresses of pictures, without the animation, which a page loads only when someone unfolds it. */
const picturesIn = (text: string) =>
  [...text.matchAll(/<img src="([^"]+\.png[^"]*|\/textures\/[^"]+)"/g)].map(([, address]) => address!);
const nameOf = (address: string) => address.replace(/[0-9a-f]{32}/, '');

async function measure(name: string, address: string, pictures: Pictures): Promise<Row[]> {
  const { origin, pathname, search } = new URL(address);
  const bytes = requestBytes(`${pathname}${search}`, HTML);
  const timed = { url: origin, requests: REQUESTS, connections: 1, request: () => bytes };
  await timeRequests(timed); // warms up the service
  const { milliseconds } = await timeRequests(timed);
  const { bytes: own, text } = await load(address);
  const assets = new Set([...text.matchAll(/"(\/ui\/assets\/[^"]+)"/g)].map(([, asset]) => asset!));
  let weight = own;
  for (const asset of assets) {
    const loaded = await load(`${origin}${asset}`);
    weight += loaded.bytes;
    for (const [, file] of loaded.text.matchAll(/from"\.\/([\w-]+\.js)"/g)) assets.add(`/ui/assets/${file}`);
  }
  for (const picture of picturesIn(text)) weight += pictures.get(nameOf(picture)) ?? Number.NaN;
  const work = `serve: ${name}, ${SKINS.toLocaleString('en')} skins stored`;
  const weights = { unit: 'KB', measured: weight / 1_000, limit: WEIGHT } as const;
  return [
    difference('P15', [work], { measured: milliseconds, limit: FIRST_BYTE }),
    difference('P15', [`${work}, with all pictures`], weights),
  ];
}

interface Loaded {
  /** Bytes of headers and body on the wire. */
  readonly bytes: number;
  readonly text: string;
}

/** @throws Error if the answer is not a success */
async function load(address: string): Promise<Loaded> {
  const bytes = await sizeOf(address);
  const answer = await fetch(address, { headers: HTML });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return { bytes, text: await answer.text() };
}

async function sizeOf(address: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    get(address, { headers: HTML, agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(answer.socket.bytesRead));
    }).on('error', reject);
  });
}
