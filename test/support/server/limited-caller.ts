import type { Generator } from '../../../src/server/generators/port.ts';
import type { Caller } from '../../../src/server/service/callers.ts';
import { type Plan, Plans } from '../../../src/server/service/plans.ts';
import { keepTexture } from '../../../src/server/store/textures.ts';
import { TEXTURE_HASH } from '../../contract/jobs.ts';
import { MovableClock } from './movable-clock.ts';
import { ownFolder } from './own-folder.ts';
import { openOwnStore } from './running-server.ts';
import { TestQueue } from './test-queue.ts';

/** What limits are checked with: a store and a queue of their own; `typical`: how long jobs are known to take. */
export async function limitsContext({ typical }: { typical?: number } = {}) {
  const { db } = await openOwnStore(await ownFolder());
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const clock = new MovableClock();
  const queue = new TestQueue(db, { self: { host: 'here', pid: 1, nonce: 'x' }, clock });
  const workers = { count: 1, typicalTime: () => typical, isOwn: (): boolean => true };
  return { db, clock, queue, generator: {} as Generator, workers };
}

/** A caller with the owner's plan, which hardly limits anything, and these limits. */
export function callerWith(limits: Partial<Plan>): Caller {
  const plan = { ...new Plans().named('owner'), ...limits };
  return { kind: 'user', owner: 'ann', plan, id: 'ann', name: 'Ann', isOperator: false };
}
