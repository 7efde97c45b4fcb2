/** P9: the cost of a very large store. */
import { join } from 'node:path';
import { fillDatabase, fillDatabaseNames, fillNames, fillStore } from './filling.ts';
import { timeRequests } from './load.ts';
import { Machine } from './machine.ts';
import { openPostgres, type Service, startOwn } from './services.ts';
import { listBytes, postBytes, untilKnown, wearKnown, wornBytes } from './submitting.ts';
import { median, type Row } from './table.ts';

const FEW = 1_000;
const ROUNDS = 7;
const REQUESTS = 300;

const WORKS = { 'finding a duplicate': postBytes, 'the list of jobs': listBytes } as const;

/** The service's store, the small and the large number of things in it, and what is requested then. */
interface Store {
  readonly name: string;
  readonly few: number;
  readonly many: number;
  readonly what: 'skins and jobs' | 'player names';
  readonly works: Readonly<Record<string, (service: Service) => Buffer>>;
  readonly open: (machine: Machine) => Promise<Place>;
}

interface Place {
  readonly start: () => Promise<Service>;
  /** Call this while no server runs. */
  readonly fill: (count: number) => Promise<void> | void;
  readonly close: () => Promise<void>;
}

const OPTIONS = { pace: 0, workers: 1 };

const STORES: readonly Store[] = [
  {
    name: 'serve',
    few: FEW,
    many: 1_000_000,
    what: 'skins and jobs',
    works: WORKS,
    open: async (machine) => ({
      start: async () => await startOwn(machine, OPTIONS),
      fill: (count) => fillStore(join(machine.dataDir, 'skinsmith.db'), count),
      close: async () => {},
    }),
  },
  {
    name: 'serve over PostgreSQL',
    few: FEW,
    many: 100_000, // ten times as many take several minutes to fill in
    what: 'skins and jobs',
    works: WORKS,
    open: async (machine) => await openOnPostgres(machine, fillDatabase),
  },
  {
    name: 'serve',
    few: 10,
    many: 10_000,
    what: 'player names',
    works: { 'what a name wears': wornBytes },
    open: async (machine) => ({
      start: async () => await startOwn(machine, OPTIONS),
      fill: (count) => fillNames(join(machine.dataDir, 'skinsmith.db'), count),
      close: async () => {},
    }),
  },
  {
    name: 'serve over PostgreSQL',
    few: 10,
    many: 10_000,
    what: 'player names',
    works: { 'what a name wears': wornBytes },
    open: async (machine) => await openOnPostgres(machine, fillDatabaseNames),
  },
];

async function openOnPostgres(
  machine: Machine,
  fill: (url: string, count: number) => Promise<void>,
): Promise<Place> {
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
  const services = [
    await startFilled(store, few, store.few),
    await startFilled(store, many, store.many),
  ] as const;
  try {
    const rows: Row[] = [];
    for (const [name, request] of Object.entries(store.works)) {
      const time = async (service: Service) => await timeOne(service, request(service));
      const against = `the same with ${store.few.toLocaleString('en')}`;
      rows.push({ ...(await compare(services, time)), against, work: workOf(store, name) });
    }
    return rows;
  } finally {
    await Promise.all(services.map((service) => service.close()));
  }
}

/** A service with one skin to request, which a player wears, and a given number of others, all of the same caller. */
async function startFilled(store: Store, machine: Machine, count: number): Promise<Service> {
  await machine.reset();
  const place = await store.open(machine);
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

async function compare(
  [few, many]: readonly [Service, Service],
  time: (service: Service) => Promise<number>,
): Promise<Omit<Row, 'work' | 'against'>> {
  const times = { few: [] as number[], many: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.few.push(await time(few));
    times.many.push(await time(many));
  }
  return {
    id: 'P9',
    unit: 'ms',
    measured: median(times.many),
    baseline: median(times.few),
    comparison: 'ratio',
    limit: 1.2,
  };
}

/** Milliseconds per request, with one request at a time. */
async function timeOne({ url }: Service, bytes: Buffer): Promise<number> {
  const load = { url, requests: REQUESTS, connections: 1, request: () => bytes };
  return (await timeRequests(load)).milliseconds;
}
