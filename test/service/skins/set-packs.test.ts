import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { texturePath } from '../../../src/pack/names.ts';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import type { TestCaller } from '../../support/server/test-caller.ts';
import { samples } from '../../support/setup/extent.ts';

guardAgainstLeaks();

/** What a pack has of a skin. */
interface Packed {
  readonly id: string;
  readonly pixels: string;
  readonly texture: string;
}

/** What a pack has, by the UUIDs of skins, and its files. */
function contentOf(zip: Uint8Array) {
  const files = unzipSync(zip);
  const index = JSON.parse(Buffer.from(files['skins.json']!).toString()) as {
    skins: (Packed & { source: string })[];
  };
  const skins = new Map(
    index.skins.map(({ source, id, pixels, texture }): [string, Packed] => [source, { id, pixels, texture }]),
  );
  return { files, skins };
}

async function make(caller: TestCaller, number: number, name = ''): Promise<string> {
  const fields: Record<string, string> = name === '' ? {} : { name };
  return String((await caller.upload('/v2/generate', skinPng(number), fields)).body.skin?.uuid);
}

async function packAt(caller: TestCaller, path: string) {
  const { status, bytes } = await caller.get(path);
  expect([path, status]).toEqual([path, 200]);
  return contentOf(bytes);
}

test('A skin keeps its id in the packs of a set when others of its name are added, moved and deleted', async () => {
  const { owner } = await runServer();
  const [first, second] = [await make(owner, 1, 'Guard'), await make(owner, 2, 'Guard')];
  const { uuid } = (await owner.json('/v2/sets', { name: 'Guards', skins: [first] })).body.set!;
  const ids = async () =>
    Object.fromEntries(
      [...(await packAt(owner, '/packs/guards.zip')).skins].map(([one, { id }]) => [one, id]),
    );
  expect(await ids()).toEqual({ [first]: 'guard' });
  await owner.patch(`/v2/sets/${uuid}`, { skins: [second, first] });
  const both = await ids();
  expect(both).toEqual({ [first]: 'guard', [second]: expect.stringMatching(/^guard-[0-9a-f]{6}$/) });
  await owner.patch(`/v2/skins/${second}`, { name: 'Another' });
  expect(await ids()).toEqual(both);
  await owner.send('DELETE', `/v2/skins/${first}`);
  expect(await ids()).toEqual({ [second]: both[second] });
});

test('A skin’s id in the packs of a set comes from its name at the first pack; the data pack has the same ids', async () => {
  const { owner } = await runServer();
  const skin = await make(owner, 1);
  await owner.json('/v2/sets', { name: 'Guards', skins: [skin] });
  await owner.patch(`/v2/skins/${skin}`, { name: 'Captain' });
  const { bytes } = await owner.get('/v2/sets/guards/datapack.zip');
  await owner.patch(`/v2/skins/${skin}`, { name: 'Renamed' });
  const lineup = Buffer.from(unzipSync(bytes)['data/guards/function/lineup.mcfunction']!).toString();
  expect(lineup).toContain('guards:entity/player/captain');
  expect((await packAt(owner, '/packs/guards.zip')).skins.get(skin)?.id).toBe('captain');
});

test('A renamed set keeps its namespace, and its pack keeps all earlier addresses', async () => {
  const server = await runServer();
  const { owner } = server;
  const { uuid } = (await owner.json('/v2/sets', { name: 'Guards', skins: [await make(owner, 1, 'A')] })).body
    .set!;
  const before = await owner.get('/packs/guards.zip');
  for (const name of ['Royal Guards', 'Sentries']) await owner.patch(`/v2/sets/${uuid}`, { name });
  for (const address of ['guards', 'royal-guards', 'sentries', uuid]) {
    const { files, skins } = await packAt(server.anonymous(), `/packs/${address}.zip`);
    expect([...skins.values()].map(({ texture }) => texture)).toEqual(['guards:entity/player/a']);
    expect(files[texturePath('guards:entity/player/a')]).toEqual(
      contentOf(before.bytes).files[texturePath('guards:entity/player/a')],
    );
  }
});

const NAMES = ['Guard', 'guard', 'GUARD', 'Guard 2', 'guard-2', 'Guard.', ''] as const;
const SETS = ['Guards', 'Sentries', 'Watch'] as const;
const number = fc.nat({ max: 40 });

/** Anything that may happen to a set. Numbers choose among what is there. */
const step = fc.oneof(
  fc.record({ act: fc.constant('make' as const), number, name: fc.constantFrom(...NAMES) }),
  fc.record({ act: fc.constant('name' as const), number, name: fc.constantFrom(...NAMES) }),
  fc.record({
    act: fc.constantFrom('remove' as const, 'add' as const, 'delete' as const, 'turn' as const),
    number,
  }),
  fc.record({ act: fc.constant('set name' as const), set: fc.constantFrom(...SETS) }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A set of a user, what its packs had, and what is in it. */
class SetStory {
  readonly #server: ServerUnderTest;
  readonly #owner: TestCaller;
  readonly #path: string;
  readonly #addresses = new Set<string>();
  #skins: string[] = [];
  #inSet: string[] = [];
  #seen = new Map<string, { readonly packed: Packed; readonly file: Uint8Array }>();

  constructor(server: ServerUnderTest, owner: TestCaller, { uuid, slug }: { uuid: string; slug: string }) {
    this.#server = server;
    this.#owner = owner;
    this.#path = `/v2/sets/${uuid}`;
    this.#addresses.add(uuid).add(slug);
  }

  async take(what: Step): Promise<void> {
    if (what.act === 'set name') return await this.#rename(what.set);
    if (what.act === 'make') {
      this.#skins.push(await make(this.#owner, what.number % 5, what.name));
      this.#skins = [...new Set(this.#skins)];
      return await this.#put([...this.#inSet, this.#skins.at(-1)!]);
    }
    const skin = this.#skins[what.number % Math.max(1, this.#skins.length)];
    if (skin === undefined) return;
    if (what.act === 'name') await this.#owner.patch(`/v2/skins/${skin}`, { name: what.name });
    if (what.act === 'remove') await this.#put(this.#inSet.filter((one) => one !== skin));
    if (what.act === 'add') await this.#put([...this.#inSet, skin]);
    if (what.act === 'turn') await this.#put(this.#inSet.toReversed());
    if (what.act !== 'delete') return;
    await this.#owner.send('DELETE', `/v2/skins/${skin}`);
    this.#skins = this.#skins.filter((one) => one !== skin);
    this.#leave(this.#inSet.filter((one) => one !== skin));
  }

  async #rename(name: string): Promise<void> {
    const { body } = await this.#owner.patch(this.#path, { name });
    this.#addresses.add(body.set!.slug);
  }

  async #put(skins: readonly string[]): Promise<void> {
    this.#leave([...new Set(skins)]);
    await this.#owner.patch(this.#path, { skins: this.#inSet });
  }

  /** A skin that leaves the set gives up its id. */
  #leave(rest: string[]): void {
    this.#inSet = rest;
    this.#seen = new Map([...this.#seen].filter(([uuid]) => rest.includes(uuid)));
  }

  /** Looks at the pack at one of its addresses. */
  async check(turn: number): Promise<void> {
    const addresses = [...this.#addresses];
    const address = `/packs/${addresses[turn % addresses.length]}.zip`;
    const { files, skins } = await packAt(this.#server.anonymous(), address);
    expect([...skins.keys()].toSorted()).toEqual(this.#inSet.toSorted());
    expect(new Set([...skins.values()].map(({ id }) => id)).size).toBe(skins.size);
    for (const [uuid, packed] of skins) {
      const file = files[texturePath(packed.texture)]!;
      const before = this.#seen.get(uuid) ?? { packed, file };
      expect({ packed, file }).toEqual(before);
      this.#seen.set(uuid, before);
    }
  }
}

onSqlite(test)(
  'Whatever happens to a set, each skin in it keeps the id and pixels of the first pack',
  async () => {
    const server = await runServer();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 30 }), async (steps) => {
        const owner = await server.user(`user-${++runs}`);
        const { body } = await owner.json('/v2/sets', { name: `Set ${runs}` });
        const story = new SetStory(server, owner, body.set!);
        for (const [turn, one] of steps.entries()) {
          await story.take(one);
          await story.check(turn);
        }
        for (const { name } of (await owner.get('/v2/me/set-names')).body.names ?? [])
          await owner.patch(`/v2/sets/${body.set!.uuid}`, { name });
        await owner.send('DELETE', `/v2/sets/${body.set!.uuid}`);
        for (const { name } of (await owner.get('/v2/me/set-names')).body.names ?? [])
          expect((await owner.send('DELETE', `/v2/set-names/${name}`)).status).toBe(200);
      }),
      { numRuns: samples(12) },
    );
  },
);
