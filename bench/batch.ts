/** P3 and P4: how near a batch comes to what the service allows, and how many requests it takes. */
import { join } from 'node:path';
import { Machine, PROGRAM } from './machine.ts';
import { eachLine, type Service, startHosted, startOwn } from './services.ts';
import { writeSkins } from './skins.ts';
import type { Row } from './table.ts';

const SKINS = 200;
/** Milliseconds that a job takes, and jobs that are made at a time. */
const SERVICE_TIME = 300;
const SPOTS = 5;
const LEAST_TIME = (SKINS * SERVICE_TIME) / SPOTS;
/** To submit a skin and to fetch it. */
const LEAST_REQUESTS = 2;

const SERVICES: Readonly<Record<string, (machine: Machine) => Promise<Service>>> = {
  'own server': async (machine) => await startOwn(machine, { pace: SERVICE_TIME, workers: SPOTS }),
  'hosted-like': async (machine) => await startHosted(machine, { serviceTime: SERVICE_TIME, workers: SPOTS }),
};

export async function batchRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    const skins = join(machine.folder, 'skins');
    writeSkins(skins, SKINS);
    const rows: Row[] = [];
    for (const [name, start] of Object.entries(SERVICES)) {
      await machine.reset();
      const service = await start(machine);
      try {
        rows.push(
          ...rowsOf(name, await watchBatch(machine, service, { skins, out: join(machine.folder, name) })),
        );
      } finally {
        await service.close();
      }
    }
    return rows.sort((a, b) => a.id.localeCompare(b.id));
  });
}

interface Watched {
  /** From the first submission to the last result. */
  readonly milliseconds: number;
  /** All but those for textures, which are the proof's: the hosted service has them on another host. */
  readonly requests: number;
}

function rowsOf(name: string, { milliseconds, requests }: Watched): Row[] {
  const time: Row = {
    id: 'P3',
    work: `${SKINS} skins, ${SERVICE_TIME} ms each, ${SPOTS} spots: first submission to last result, ${name}`,
    against: `${SKINS} × ${SERVICE_TIME} ms / ${SPOTS}`,
    unit: 'ms',
    measured: milliseconds,
    baseline: LEAST_TIME,
    comparison: 'ratio',
    limit: 1.08,
  };
  const perSkin: Row = {
    id: 'P4',
    work: `the same: requests per skin, textures on their own host aside, ${name}`,
    against: 'submit, fetch',
    unit: 'requests',
    measured: requests / SKINS,
    baseline: LEAST_REQUESTS,
    comparison: 'ratio',
    limit: 1.1,
  };
  return [time, perSkin];
}

/** Goes by what the program says of its requests and results as they come. */
async function watchBatch(
  machine: Machine,
  { env }: Service,
  { skins, out }: { skins: string; out: string },
): Promise<Watched> {
  const args = ['generate', skins, '--out', out, '--ndjson', '--verbose'];
  const child = machine.start([PROGRAM, ...args], { env, buffer: false });
  let [requests, results, first, last] = [0, 0, Number.POSITIVE_INFINITY, Number.NaN];
  eachLine(child, 'stdout', () => {
    results++;
    last = performance.now();
  });
  eachLine(child, 'stderr', (line) => {
    const request = readRequest(line);
    if (!request || request.path.startsWith('/textures/')) return;
    requests++;
    if (request.method === 'POST') first = Math.min(first, performance.now() - request.milliseconds);
  });
  await child;
  if (results !== SKINS) throw new Error(`${results} of ${SKINS} skins came.`);
  return { milliseconds: last - first, requests };
}

/** `POST /v2/queue 202 12 ms` */
function readRequest(line: string): { method: string; path: string; milliseconds: number } | undefined {
  const [, method = '', path = '', milliseconds] = /^([A-Z]+) (\S+) .*?(\d+) ms$/.exec(line) ?? [];
  return milliseconds === undefined ? undefined : { method, path, milliseconds: Number(milliseconds) };
}
