/**
 * P12: the throughput of two processes that serve, compared with one, for submissions of a known skin and looks at jobs in
 * turns; P12b: for each kind of request separately. The load takes its part of the two cores, too. Each process has served
 * before as many requests as the others: V8 compiles in each of them what it runs, for seconds.
 */
import { type RequestBytes, timeRequests } from './load.ts';
import { Machine } from './machine.ts';
import { type Service, startOwn } from './services.ts';
import { jobBytes, postBytes, submit, untilKnown } from './submitting.ts';
import { median, type Row } from './table.ts';

const CONNECTIONS = 16;
const ROUNDS = 5;
const REQUESTS = 3_000;
/** Requests for each process before jobs are measured that are requested once. */
const JOB_WARM_UP = 20_000;
/** Requested in turn, because each may be requested about once a second. */
const AGAIN = 3_000;
/** As many as the service of two processes is asked for, with its warm-up. */
const ONCE = 2 * JOB_WARM_UP + ROUNDS * REQUESTS;
/** Limits of the time of two processes: for both kinds of requests in turns, and for one kind. */
const IN_TURNS = 1 / 1.5;
const SEPARATELY = 1;

interface Work {
  readonly id: 'P12' | 'P12b';
  readonly name: string;
  readonly request: (service: Service) => Promise<RequestBytes>;
  /** Requests for each process before the measurement. */
  readonly warmUp: number;
  readonly limit: number;
}

const WORKS: readonly Work[] = [
  {
    id: 'P12',
    name: 'POST a known skin and GET one job, in turns',
    request: async (service) => inTurns(always(postBytes(service)), await jobsInTurn(service, ONCE)),
    warmUp: 2 * JOB_WARM_UP,
    limit: IN_TURNS,
  },
  {
    id: 'P12b',
    name: 'POST a known skin',
    request: async (service) => always(postBytes(service)),
    warmUp: 30_000,
    limit: SEPARATELY,
  },
  {
    id: 'P12b',
    name: 'GET one job, each once',
    request: async (service) => await jobsInTurn(service, ONCE),
    warmUp: JOB_WARM_UP,
    limit: SEPARATELY,
  },
  // Each job may be requested ten times in ten seconds.
  {
    id: 'P12b',
    name: 'GET one job, again',
    request: async (service) => await jobsInTurn(service, AGAIN),
    warmUp: 2 * AGAIN,
    limit: SEPARATELY,
  },
];

const PROCESSES = [1, 2] as const;

/** Both services have a store of their own. */
export async function processRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    const services: Service[] = [];
    try {
      for (const processes of PROCESSES) {
        await machine.reset();
        const service = await startOwn(machine, { pace: 0, workers: 2, processes });
        services.push(service);
        await untilKnown(service);
      }
      const rows: Row[] = [];
      for (const work of WORKS) rows.push(await measure(services, work));
      return rows;
    } finally {
      await Promise.all(services.map(async (service) => await service.close()));
    }
  });
}

async function measure(
  services: readonly Service[],
  { id, name, request, warmUp, limit }: Work,
): Promise<Row> {
  const loads = await Promise.all(
    services.map(async (service) => ({ url: service.url, request: await request(service) })),
  );
  for (const [index, load] of loads.entries()) {
    const requests = warmUp * (PROCESSES[index] ?? 1);
    await timeRequests({ ...load, requests, connections: CONNECTIONS });
  }
  const times: number[][] = loads.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, load] of loads.entries()) {
      const timed = await timeRequests({ ...load, requests: REQUESTS, connections: CONNECTIONS });
      times[index]?.push(timed.milliseconds);
    }
  }
  const [one = [], two = []] = times;
  return {
    id,
    work: `serve --processes 2: ${name}, ${CONNECTIONS} connections`,
    against: 'one process',
    unit: 'ms',
    measured: median(two),
    baseline: median(one),
    comparison: 'ratio',
    limit,
  };
}

/** Each job is requested again after all the others. */
async function jobsInTurn(service: Service, count: number): Promise<RequestBytes> {
  const requests: Buffer[] = [];
  const submitAll = async () => {
    while (requests.length < count) requests.push(jobBytes(service, (await submit(service)).id));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, submitAll));
  let next = 0;
  return () => requests[next++ % requests.length] ?? Buffer.alloc(0);
}

/** The first kind and the second, one after the other. */
function inTurns(first: RequestBytes, second: RequestBytes): RequestBytes {
  return (index) => (index % 2 === 0 ? first : second)(index);
}

function always(bytes: Buffer): RequestBytes {
  return () => bytes;
}
