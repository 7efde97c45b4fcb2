/** P9: the cost of a very large store. */
import { join } from 'node:path';
import { fillDatabase, fillDatabaseNames, fillNames, fillStore } from './filling.ts';
import { timeRequests } from './load.ts';
import { Machine } from './machine.ts';
import { openPostgres, type Service, startOwn } from './services.ts';
import { listBytes, postBytes, untilKnown, wearKnown, wornBytes } from './submitting.ts';
import { inTurns, type Row, ratio } from './table.ts';

const FEW = 1_000;
const ROUNDS = 7;
const REQUESTS = 300;

const WORKS = { 'finding a duplicate': postBytes, 'the list of jobs': listBytes } as const;

/** The service's store, the small and the large number of things in it, and what is requested then. */
interface Store {
  readonly name: string;
  readonly few: number;
  readonly many: number;
  readonly what: What;
  readonly works: Readonly<Record<string, (service: Service) => Buffer>>;
  readonly open: (machine: Machine, what: What) => Promise<Place>;
}

type What = 'skins and jobs' | 'player names';

interface Place {
  readonly start: () => Promise<Service>;
  /** Call this while no server runs. */
  readonly fill: (count: number) => Promise<void> | void;
  readonly close: () => Promise<void>;
}

const OPTIONS = { pace: 0, workers: 1 };

const SKINS = { few: FEW, what: 'skins and jobs', works: WORKS } as const;
const NAMES = {
  few: 10,
  many: 10_000,
  what: 'player names',
  works: { 'what a name wears': wornBytes },
} as const;
const ON = { name: 'serve', open: openOnSqlite };
const OVER = { name: 'serve over PostgreSQL', open: openOnPostgres };

const STORES: readonly Store[] = [
  { ...SKINS, many: 1_000_000, ...ON },
  { ...SKINS, many: 100_000, ...OVER }, // ten times as many take several minutes to fill in
  { ...NAMES, ...ON },
  { ...NAMES, ...OVER },
];

async function openOnSqlite(machine: Machine, what: What): Promise<Place> {
  const fill = what === 'player names' ? fillNames : fillStore;
  return {
    start: async () => await startOwn(machine, OPTIONS),
    fill: (count) => fill(join(machine.dataDir, 'skinsmith.db'), count),
    close: async () => {},
  };
}

async function openOnPostgres(machine: Machine, what: What): Promise<Place> {
  const fill = what === 'player names' ? fillDatabaseNames : fillDatabase;
  const { store, stop } = await openPostgres();
  return {
    start: async () => await startOwn(machine, { ...OPTIONS, store }),
    fill: async (count) => await fill(store, count),
    close: stop,
  };
}

export async function millionRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const store of STORES) {
    const measured = async (few: Machine) =>
      await Machine.with(async (many) => await rowsOn(store, few, many));
    rows.push(...(await Machine.with(measured)));
  }
  return rows;
}

async function rowsOn(store: Store, few: Machine, many: Machine): Promise<Row[]> {
  const smaller = await startFilled(store, few, store.few);
  const larger = await startFilled(store, many, store.many);
  try {
    const rows: Row[] = [];
    for (const [name, request] of Object.entries(store.works)) {
      const figures = await inTurns(ROUNDS, {
        baseline: async () => await timeOne(smaller, request(smaller)),
        measured: async () => await timeOne(larger, request(larger)),
      });
      const against = `the same with ${store.few.toLocaleString('en')}`;
      rows.push(ratio('P9', [workOf(store, name), against], { ...figures, limit: 1.2 }));
    }
    return rows;
  } finally {
    await Promise.all([smaller.close(), larger.close()]);
  }
}

/** A service with one skin to request, which a player wears, and a given number of others, all of the same caller. */
async function startFilled(store: Store, machine: Machine, count: number): Promise<Service> {
  await machine.reset();
  const place = await store.open(machine, store.what);
  const before = await place.start();
  await untilKnown(before);
  await wearKnown(before);
  await before.close();
  await place.fill(count);
  const service = await place.start();
  const close = async () => {
    await service.close();
    await place.close();
  };
  return { ...service, close, env: { ...before.env, SKINSMITH_BASE_URL: service.url } };
}

function workOf({ name, many, what }: Store, work: string): string {
  return `${name}: ${work}, ${many.toLocaleString('en')} ${what} stored`;
}

/** Milliseconds per request, with one request at a time. */
async function timeOne({ url }: Service, bytes: Buffer): Promise<number> {
  const load = { url, requests: REQUESTS, connections: 1, request: () => bytes };
  return (await timeRequests(load)).milliseconds;
}
