/** P9: the cost of a very large store. */
import { join } from 'node:path';
import { fillStore } from './filling.ts';
import { timeRequests } from './load.ts';
import { Machine } from './machine.ts';
import { type Service, startOwn } from './services.ts';
import { listBytes, postBytes, untilKnown } from './submitting.ts';
import { median, type Row } from './table.ts';

const FEW = 1_000;
const MANY = 1_000_000;
const ROUNDS = 7;
const REQUESTS = 300;

const WORKS = { 'finding a duplicate': postBytes, 'the list of jobs': listBytes } as const;

export async function millionRows(): Promise<Row[]> {
  return await Machine.with(
    async (few) =>
      await Machine.with(async (many) => {
        const services = [await startFilled(few, FEW), await startFilled(many, MANY)] as const;
        try {
          const rows: Row[] = [];
          for (const [name, request] of Object.entries(WORKS)) {
            rows.push(await compare(name, services, (service) => timeOne(service, request(service))));
          }
          return rows;
        } finally {
          await Promise.all(services.map((service) => service.close()));
        }
      }),
  );
}

/** A service with one skin to request and a given number of others, each with a job, all of the same caller. */
async function startFilled(machine: Machine, count: number): Promise<Service> {
  await machine.reset();
  const options = { pace: 0, workers: 1 };
  const before = await startOwn(machine, options);
  await untilKnown(before);
  await before.close();
  fillStore(join(machine.dataDir, 'skinsmith.db'), count);
  const { url, pid, close } = await startOwn(machine, options);
  return { url, pid, close, env: { ...before.env, SKINSMITH_BASE_URL: url } };
}

async function compare(
  name: string,
  [few, many]: readonly [Service, Service],
  time: (service: Service) => Promise<number>,
): Promise<Row> {
  const times = { few: [] as number[], many: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.few.push(await time(few));
    times.many.push(await time(many));
  }
  return {
    id: 'P9',
    work: `serve: ${name}, ${MANY.toLocaleString('en')} skins and jobs stored`,
    against: `the same with ${FEW.toLocaleString('en')}`,
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
