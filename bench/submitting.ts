import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { requestBytes } from './load.ts';
import { ROOT } from './machine.ts';
import type { Service } from './services.ts';

const BOUNDARY = 'skinsmith-bench';

const answerSchema = z.object({ job: z.object({ id: z.string(), status: z.string() }) });
type Answer = z.infer<typeof answerSchema>;

/** Submits an image; default: the one that all rows about known skins use. */
export async function submit(service: Service, png?: Buffer): Promise<Answer['job']> {
  const body = new Uint8Array(uploadBody(png));
  const answer = await fetch(`${service.url}/v2/queue`, {
    method: 'POST',
    headers: uploadHeaders(service),
    body,
  });
  return answerSchema.parse(await answer.json()).job;
}

/** Waits until the service knows the image, so that requests for it are no generations. */
export async function untilKnown(service: Service): Promise<void> {
  while ((await submit(service)).status !== 'completed') await sleep(50);
}

const skinsSchema = z.object({ skins: z.array(z.object({ uuid: z.string() })) });

/** Lets a player name wear the image. */
export async function wearKnown(service: Service): Promise<void> {
  const headers = { ...authorization(service), 'Content-Type': 'application/json' };
  const answer = await fetch(`${service.url}/v2/me/skins`, { headers });
  const [skin] = skinsSchema.parse(await answer.json()).skins;
  const body = JSON.stringify({ skin: skin?.uuid });
  await fetch(`${service.url}${WEARER}`, { method: 'PUT', headers, body });
}

const WEARER = '/v2/players/Steve';

export function wornBytes(service: Service): Buffer {
  return requestBytes(WEARER, authorization(service));
}

export function postBytes(service: Service): Buffer {
  return requestBytes('/v2/queue', uploadHeaders(service), uploadBody());
}

export function listBytes(service: Service): Buffer {
  return requestBytes('/v2/queue', authorization(service));
}

export function jobBytes(service: Service, id: string): Buffer {
  return requestBytes(`/v2/queue/${id}`, authorization(service));
}

function uploadHeaders(service: Service): Record<string, string> {
  return { ...authorization(service), 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
}

function authorization({ env }: Service): Record<string, string> {
  return { Authorization: `Bearer ${env['SKINSMITH_API_KEY']}` };
}

function uploadBody(png: Buffer = readFileSync(join(ROOT, 'examples/smith.png'))): Buffer {
  const disposition = 'Content-Disposition: form-data; name="file"; filename="smith.png"';
  const head = `--${BOUNDARY}\r\n${disposition}\r\nContent-Type: image/png\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), png, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}
