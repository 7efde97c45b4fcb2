import { randomUUID } from 'node:crypto';
import { skinPng } from '../server/drawn-skins.ts';
import { TestCaller } from '../server/test-caller.ts';
import type { ClusterNode } from './cluster.ts';

/** Milliseconds between attempts. */
const PAUSE = 20;

interface Client {
  readonly key: string;
  /** Number of the first picture; the others follow it. */
  readonly pictures: number;
  readonly pick: () => ClusterNode;
  /** Hears of refusals that do not say when to come again. */
  readonly onRude: (fault: string) => void;
}

/** A client with patience: it sends each picture under a key of its own until a node has answered that it has a job. */
export async function submitUntil(isOver: () => boolean, { pictures, ...client }: Client): Promise<string[]> {
  const accepted: string[] = [];
  for (let picture = pictures; !isOver(); picture++) {
    const id = await submit({ ...client, picture, idempotencyKey: randomUUID(), isOver });
    if (id !== undefined) accepted.push(id);
  }
  return accepted;
}

interface Submission extends Omit<Client, 'pictures'> {
  readonly picture: number;
  readonly idempotencyKey: string;
  readonly isOver: () => boolean;
}

async function submit({
  picture,
  idempotencyKey,
  key,
  pick,
  isOver,
  onRude,
}: Submission): Promise<string | undefined> {
  const file = `data:image/png;base64,${skinPng(picture).toString('base64')}`;
  while (!isOver()) {
    const { url } = pick();
    const caller = url === undefined ? undefined : new TestCaller(url, { key, isOurs: false });
    const heard = await caller
      ?.json('/v2/queue', { url: file, variant: 'classic' }, { 'idempotency-key': idempotencyKey })
      .catch(() => undefined); // the node is gone
    if (heard && [429, 503].includes(heard.status) && !heard.headers['retry-after'])
      onRude(`${heard.status} without Retry-After: ${JSON.stringify(heard.body)}`);
    if (heard && heard.status < 300) return String(heard.body.job?.id);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return undefined;
}
