/** P8: the service's throughput, compared with a server that does no work. */
import { type RequestBytes, timeRequests } from './load.ts';
import { Machine } from './machine.ts';
import { type Service, startBare, startOwn } from './services.ts';
import { jobBytes, listBytes, postBytes, submit, untilKnown } from './submitting.ts';
import { median, type Row } from './table.ts';

const CONNECTIONS = 16;
const ROUNDS = 5;
/** Number of jobs when the list is requested, and when single jobs are. */
const LISTED = 100;
const JOBS = 3_000;

interface Work {
  readonly name: string;
  readonly requests: number;
  /** Maximum of its time, compared with the bare server's. */
  readonly limit: number;
  readonly request: RequestBytes;
}

export async function requestRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const service = await startOwn(machine, { pace: 0, workers: 1 });
    try {
      await untilKnown(service);
      for (let made = 1; made < LISTED; made++) await submit(service);
      const list = await measure(machine, service, listWork(service));
      const one = await measure(machine, service, await oneWork(service));
      return [one, list, await measure(machine, service, postWork(service))];
    } finally {
      await service.close();
    }
  });
}

/** Cycles through the jobs, because each may be requested about once a second. */
async function oneWork(service: Service): Promise<Work> {
  const requests: Buffer[] = [];
  while (requests.length < JOBS) requests.push(jobBytes(service, (await submit(service)).id));
  const request = (index: number) => requests[index % requests.length] ?? Buffer.alloc(0);
  return { name: 'GET one job', requests: 3_000, limit: 2.2, request };
}

function listWork(service: Service): Work {
  const bytes = listBytes(service);
  return { name: `GET the list of ${LISTED} jobs`, requests: 2_000, limit: 3, request: () => bytes };
}

function postWork(service: Service): Work {
  const bytes = postBytes(service);
  return { name: 'POST a known skin', requests: 2_000, limit: 6, request: () => bytes };
}

/** Alternates with a bare server that answers the same requests with as many bytes. */
async function measure(machine: Machine, service: Service, work: Work): Promise<Row> {
  const times = { own: [] as number[], bare: [] as number[] };
  const load = { requests: work.requests, connections: CONNECTIONS };
  const { bytes } = await timeRequests({ ...load, requests: 1, url: service.url, request: work.request });
  const bare = await startBare(machine, bytes);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const request: RequestBytes = (index) => toRoot(work.request(index));
      times.bare.push((await timeRequests({ ...load, url: bare.url, request })).milliseconds);
      times.own.push((await timeRequests({ ...load, url: service.url, request: work.request })).milliseconds);
    }
  } finally {
    await bare.close();
  }
  return {
    id: 'P8',
    work: `serve: ${work.name}, ${CONNECTIONS} connections`,
    against: 'a bare Fastify route, as many bytes',
    unit: 'ms',
    measured: median(times.own),
    baseline: median(times.bare),
    comparison: 'ratio',
    limit: work.limit,
  };
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
