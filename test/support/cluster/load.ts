import { randomUUID } from 'node:crypto';
import { skinPng } from '../server/drawn-skins.ts';
import { TestCaller } from '../server/test-caller.ts';
import type { ClusterNode } from './cluster.ts';

/** Milliseconds between attempts. */
const PAUSE = 20;

/** A client with patience: it sends each picture under a key of its own until a node has answered that it has a job. */
export async function submitUntil(
  isOver: () => boolean,
  { key, pictures, pick }: { key: string; pictures: number; pick: () => ClusterNode },
): Promise<string[]> {
  const accepted: string[] = [];
  for (let picture = pictures; !isOver(); picture++) {
    const id = await submit({ picture, idempotencyKey: randomUUID(), key, pick, isOver });
    if (id !== undefined) accepted.push(id);
  }
  return accepted;
}

interface Submission {
  readonly picture: number;
  readonly idempotencyKey: string;
  readonly key: string;
  readonly pick: () => ClusterNode;
  readonly isOver: () => boolean;
}

async function submit({
  picture,
  idempotencyKey,
  key,
  pick,
  isOver,
}: Submission): Promise<string | undefined> {
  const file = `data:image/png;base64,${skinPng(picture).toString('base64')}`;
  while (!isOver()) {
    const { url } = pick();
    const caller = url === undefined ? undefined : new TestCaller(url, { key, isOurs: false });
    const heard = await caller
      ?.json('/v2/queue', { url: file, variant: 'classic' }, { 'idempotency-key': idempotencyKey })
      .catch(() => undefined); // the node is gone
    if (heard && heard.status < 300) return String(heard.body.job?.id);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return undefined;
}
