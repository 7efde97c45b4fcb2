/** P11: the cost for a single user of a gateway instead of a direct connection to the upstream service. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Machine } from './machine.ts';
import { type Service, startGateway, startHosted } from './services.ts';
import { writeSkins } from './skins.ts';
import { inTurns, type Row, ratio } from './table.ts';

const SKINS = 40;
/** Duration of a job in milliseconds, and queue slots of the key. */
const SERVICE_TIME = 800;
const SLOTS = 5;
const ROUNDS = 3;

const madeKeySchema = z.object({ key: z.object({ secret: z.string() }) });

export async function gatewayRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    const skins = join(machine.folder, 'skins');
    writeSkins(skins, SKINS);
    const direct = async (service: Service) => await timeBatch(machine, service.env, skins);
    const through = async (service: Service) => await timeThrough(machine, service, skins);
    const figures = await inTurns(ROUNDS, {
      baseline: async () => await withHosted(machine, direct),
      measured: async () => await withHosted(machine, through),
    });
    const work = `generate ${SKINS} skins of ${SERVICE_TIME} ms through a gateway, one user with plan free, ${SLOTS} slots upstream`;
    return [ratio('P11', [work, 'directly at the upstream service'], { ...figures, limit: 1.15 })];
  });
}

async function withHosted<T>(machine: Machine, work: (service: Service) => Promise<T>): Promise<T> {
  await machine.reset();
  const service = await startHosted(machine, { serviceTime: SERVICE_TIME, workers: SLOTS, limit: SLOTS });
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

/** The user's batch and the gateway share a machine, as in a small team. */
async function timeThrough(machine: Machine, hosted: Service, skins: string): Promise<number> {
  const keyFile = join(machine.dataDir, 'upstream-key');
  await writeFile(keyFile, hosted.env['SKINSMITH_API_KEY'] ?? '', { mode: 0o600 });
  const gateway = await startGateway(machine, { upstream: hosted.url, keyFile });
  try {
    return await timeBatch(machine, { ...gateway.env, SKINSMITH_API_KEY: await keyOfUser(gateway) }, skins);
  } finally {
    await gateway.close();
  }
}

/** The owner's plan has higher limits than a user's. */
async function keyOfUser({ url, env }: Service): Promise<string> {
  const response = await fetch(new URL('/v2/account/keys', url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${env['SKINSMITH_API_KEY']}`,
      'content-type': 'application/json',
      'user-agent': 'skinsmith-bench',
    },
    body: JSON.stringify({ user: 'lone' }),
  });
  return madeKeySchema.parse(await response.json()).key.secret;
}

async function timeBatch(
  machine: Machine,
  env: Readonly<Record<string, string>>,
  skins: string,
): Promise<number> {
  const out = join(machine.dataDir, 'out');
  return await machine.time(['generate', skins, '--out', out, '--quiet'], { env });
}
