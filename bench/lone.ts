/** P10: how long a finished job goes unnoticed without other jobs and without events. */
import { join } from 'node:path';
import { z } from 'zod';
import { Machine, ROOT } from './machine.ts';
import { startHosted } from './services.ts';
import { median, type Row, ratio } from './table.ts';

/** Durations of jobs in milliseconds; the median covers all of them. */
const SERVICE_TIMES = [150, 700, 1_100, 1_900, 3_300];
const POLL_INTERVAL = 1_000;

const recordsSchema = z.object({ accepted: z.array(z.object({ endsAt: z.number() })) });

/** Whether the service estimates when a job will be done: the hosted one does not always. */
const ETAS = { 'with eta': 0, 'no eta': false } as const;

export async function loneRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    const rows: Row[] = [];
    for (const [name, eta] of Object.entries(ETAS)) {
      const waits: number[] = [];
      for (const serviceTime of SERVICE_TIMES) waits.push(await timeLone(machine, { serviceTime, eta }));
      const work = `queue one.png --wait, hosted-like, ${name}: from the job's end to the answer`;
      const figures = { measured: median(waits), baseline: POLL_INTERVAL, limit: 0.2 };
      rows.push(ratio('P10', [work, 'a poll interval'], figures));
    }
    return rows;
  });
}

/** Milliseconds from the end of the job to the end of the command. */
async function timeLone(
  machine: Machine,
  options: { serviceTime: number; eta: false | number },
): Promise<number> {
  await machine.reset();
  const service = await startHosted(machine, options);
  try {
    await machine.time(['queue', join(ROOT, 'examples/smith.png'), '--wait'], { env: service.env });
    const answeredAt = Date.now();
    return answeredAt - (await lastEnd(service.url));
  } finally {
    await service.close();
  }
}

async function lastEnd(url: string): Promise<number> {
  const response = await fetch(new URL('/_records', url));
  const { accepted } = recordsSchema.parse(await response.json());
  return Math.max(...accepted.map(({ endsAt }) => endsAt));
}
