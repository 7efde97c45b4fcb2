/** P3 and P4: how close a batch comes to the service's limits, and how many requests it needs. */
import { join } from 'node:path';
import { Machine } from './machine.ts';
import { type Service, startHosted, startOnPostgres, startOwn } from './services.ts';
import { writeSkins } from './skins.ts';
import { type Row, ratio } from './table.ts';
import { type Watched, watchBatch } from './watching.ts';

const SKINS = 200;
/** Milliseconds per job, and simultaneous jobs. */
const SERVICE_TIME = 300;
const SLOTS = 5;
const LEAST_TIME = (SKINS * SERVICE_TIME) / SLOTS;
/** One request to submit a skin and one to fetch it. */
const LEAST_REQUESTS = 2;

/** The published server's answer for a caller with a limit, which includes an hour of 0. The limit is never reached. */
const AS_PUBLISHED = {
  serviceTime: SERVICE_TIME,
  workers: SLOTS,
  rate: { limit: 6_000 },
  spread: false,
  clockOffset: 10 * 60_000,
};

/** Limits of the time compared with the minimum. Each step of a job over PostgreSQL goes to another process and back. */
const LIMIT = 1.06;
const LIMITS: Readonly<Record<string, number>> = { 'own server over PostgreSQL': 1.2 };

const SERVICES: Readonly<Record<string, (machine: Machine) => Promise<Service>>> = {
  'own server': async (machine) => await startOwn(machine, { pace: SERVICE_TIME, workers: SLOTS }),
  'own server over PostgreSQL': async (machine) =>
    await startOnPostgres(machine, { pace: SERVICE_TIME, workers: SLOTS }),
  'hosted-like': async (machine) => await startHosted(machine, { serviceTime: SERVICE_TIME, workers: SLOTS }),
  'hosted-like with known limits, its clock ahead': async (machine) =>
    await startHosted(machine, AS_PUBLISHED),
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
        const folders = { skins, out: join(machine.folder, name), count: SKINS };
        rows.push(...rowsOf(name, await watchBatch(machine, service, folders)));
      } finally {
        await service.close();
      }
    }
    return rows.sort((a, b) => a.id.localeCompare(b.id));
  });
}

function rowsOf(name: string, { milliseconds, requests }: Watched): Row[] {
  const batch = `${SKINS} skins, ${SERVICE_TIME} ms each, ${SLOTS} slots: first submission to last result, ${name}`;
  const times = { measured: milliseconds, baseline: LEAST_TIME, limit: LIMITS[name] ?? LIMIT };
  const perSkin = `the same: requests per skin, textures on their own host aside, ${name}`;
  const counts = { unit: 'requests', measured: requests / SKINS, baseline: LEAST_REQUESTS } as const;
  return [
    ratio('P3', [batch, `${SKINS} × ${SERVICE_TIME} ms / ${SLOTS}`], times),
    ratio('P4', [perSkin, 'submit, fetch'], { ...counts, limit: 1.1 }),
  ];
}
