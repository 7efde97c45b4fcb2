/** P8: the service's throughput on each kind of store, compared with a server that does no work. */
import { type RequestBytes, timeRequests } from './load.ts';
import { Machine } from './machine.ts';
import { type Service, startBare, startOnPostgres, startOwn } from './services.ts';
import { jobBytes, listBytes, postBytes, submit, untilKnown } from './submitting.ts';
import { inTurns, type Row, ratio } from './table.ts';

const CONNECTIONS = 16;
const ROUNDS = 5;
/** Number of jobs when the list is requested, and when single jobs are. */
const LISTED = 100;
const JOBS = 3_000;
/** Simultaneous submissions while creating the jobs, which is not measured. */
const SUBMITTERS = 16;

/** The service's store, and the maximum time of each kind of request compared with the bare server's. */
interface Store {
  readonly name: string;
  readonly start: (machine: Machine) => Promise<Service>;
  /** How often the list is requested, and the skin. */
  readonly requests: number;
  readonly limits: { readonly one: number; readonly list: number; readonly post: number };
}

const OPTIONS = { pace: 0, workers: 1 };
const STORES: readonly Store[] = [
  {
    name: 'serve',
    start: async (machine) => await startOwn(machine, OPTIONS),
    requests: 2_000,
    limits: { one: 5, list: 5, post: 8 },
  },
  {
    name: 'serve over PostgreSQL',
    start: async (machine) => await startOnPostgres(machine, OPTIONS),
    requests: 500,
    limits: { one: 15, list: 15, post: 15 },
  },
];

interface Work {
  readonly name: string;
  readonly requests: number;
  /** Maximum time compared with the bare server's. */
  readonly limit: number;
  readonly request: RequestBytes;
}

export async function requestRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const store of STORES)
    rows.push(...(await Machine.with(async (machine) => await rowsOn(store, machine))));
  return rows;
}

async function rowsOn({ name, start, requests, limits }: Store, machine: Machine): Promise<Row[]> {
  await machine.reset();
  const service = await start(machine);
  try {
    await untilKnown(service);
    await submitMany(service, LISTED - 1);
    const list = await measure(machine, service, { ...listWork(service, name, limits.list), requests });
    const one = await measure(machine, service, await oneWork(service, name, limits.one));
    return [
      one,
      list,
      await measure(machine, service, { ...postWork(service, name, limits.post), requests }),
    ];
  } finally {
    await service.close();
  }
}

/** The IDs of that many jobs for the same skin. */
async function submitMany(service: Service, count: number): Promise<string[]> {
  const ids: string[] = [];
  let left = count;
  const submitter = async () => {
    while (left-- > 0) ids.push((await submit(service)).id);
  };
  await Promise.all(Array.from({ length: SUBMITTERS }, submitter));
  return ids;
}

/** Cycles through the jobs, because each may be requested about once a second. */
async function oneWork(service: Service, name: string, limit: number): Promise<Work> {
  const requests = (await submitMany(service, JOBS)).map((id) => jobBytes(service, id));
  const request = (index: number) => requests[index % requests.length] ?? Buffer.alloc(0);
  return { name: `${name}: GET one job`, requests: 3_000, limit, request };
}

function listWork(service: Service, name: string, limit: number): Omit<Work, 'requests'> {
  const bytes = listBytes(service);
  return { name: `${name}: GET the list of ${LISTED} jobs`, limit, request: () => bytes };
}

function postWork(service: Service, name: string, limit: number): Omit<Work, 'requests'> {
  const bytes = postBytes(service);
  return { name: `${name}: POST a known skin`, limit, request: () => bytes };
}

/** Alternates with a bare server that answers the same requests with as many bytes. */
async function measure(machine: Machine, service: Service, work: Work): Promise<Row> {
  const load = { requests: work.requests, connections: CONNECTIONS };
  const { bytes } = await timeRequests({ ...load, requests: 1, url: service.url, request: work.request });
  const bare = await startBare(machine, bytes);
  try {
    const time = async (url: string, request: RequestBytes) =>
      (await timeRequests({ ...load, url, request })).milliseconds;
    const figures = await inTurns(ROUNDS, {
      baseline: async () => await time(bare.url, (index) => toRoot(work.request(index))),
      measured: async () => await time(service.url, work.request),
    });
    const words = [`${work.name}, ${CONNECTIONS} connections`, 'a bare Hono route, as many bytes'] as const;
    return ratio('P8', words, { ...figures, limit: work.limit });
  } finally {
    await bare.close();
  }
}

/** The same request, for the bare server's only address. */
function toRoot(request: Buffer): Buffer {
  const path = request.indexOf(' ') + 1;
  return Buffer.concat([
    request.subarray(0, path),
    Buffer.from('/'),
    request.subarray(request.indexOf(' HTTP/1.1')),
  ]);
}
