import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkinClient } from '../../src/index.ts';
import { decodePng } from '../../src/skin/png/decode.ts';
import { encodePng } from '../../src/skin/png/encode.ts';
import { fillPeople, fillStore, type Place } from './people.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');

/** What the screenshots need to know about a server with content. */
export interface Seeded {
  /** UUID of the skin whose page is shown. */
  readonly skin: string;
  /** UUID of a job that failed. */
  readonly failedJob: string;
}

/** Files of the examples, with a name for each permutation of their colours. */
const SKINS: readonly (readonly [file: string, names: readonly string[]])[] = [
  ['miner-legacy', ['Miner', 'Diver', 'Gardener']],
  ['robot', ['Robot', 'Rusty', 'Scout']],
  ['knight-overlay', ['Knight', 'A name as long as a name of a skin may ever be.', 'Green Knight']],
  ['ranger-slim', ['Ranger', 'Tide', 'Berry']],
  ['smith', ['Smith', 'Brewer', 'Tanner']],
];
/** The channels from which red, green and blue of each pixel come. */
const ORDERS = [
  [0, 1, 2],
  [2, 0, 1],
  [1, 2, 0],
] as const;

/** Makes skins on the server, newest last, and the content of other pages. */
export async function fillServer(place: Place): Promise<Seeded> {
  const { server } = place;
  const miner = await readFile(join(EXAMPLES, 'miner-legacy.png'));
  const copies = [ORDERS[1], ORDERS[2], [0, 2, 1] as const].map((order) => recoloured(miner, order));
  await fillPeople(place, copies);
  const guards: string[] = [];
  for (let order = ORDERS.length - 1; order >= 0; order--) {
    for (const [file, names] of SKINS) {
      const png = await readFile(join(EXAMPLES, `${file}.png`));
      const uuid = await make(server, order === 0 ? png : recoloured(png, ORDERS[order]!), {
        name: names[order]!,
      });
      if (order === 0) guards.push(uuid);
    }
  }
  const owner = new SkinClient({ baseUrl: server.url, apiKey: server.key });
  await owner.account.sets.create({ name: 'Royal Guards', skins: guards });
  await owner.close();
  const smith = await readFile(join(EXAMPLES, 'smith.png'));
  await make(server, smith, { name: 'Smith slim', variant: 'slim' });
  const draft = recoloured(smith, [0, 2, 1]);
  await make(server, draft, { name: 'Draft', visibility: 'private' });
  const skin = await make(server, smith, { name: 'Smith' });
  return { skin, failedJob: await fillStore(place.dataDir) };
}

/** @returns the skin's UUID */
async function make(
  { url, key }: Place['server'],
  png: Uint8Array,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([new Uint8Array(png)], { type: 'image/png' }), `${fields['name']}.png`);
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/v2/generate`, { method: 'POST', body: form, headers });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { skin: { uuid: string } }).skin.uuid;
}

function recoloured(png: Uint8Array, order: readonly [number, number, number]): Buffer {
  const picture = decodePng(png);
  const { pixels } = picture;
  for (let at = 0; at < pixels.length; at += 4) {
    const colours = order.map((from) => pixels[at + from]!);
    pixels.set(colours, at);
  }
  return encodePng(picture);
}
