import { expect, onTestFinished } from 'vitest';
import type { OpenStore } from '../../../src/server/store/db.ts';
import { poll } from '../server/poll.ts';
import type { Heard } from '../server/test-caller.ts';
import { editUntil } from './edits.ts';
import { isFault, submitUntil } from './load.ts';
import type { ServerProcess } from './server-process.ts';

/** Number of a user's simultaneous requests. */
const SENDERS = 2;
/** Jobs that each server must accept in each stage, by default. */
const ENOUGH = 4;

/** On a busy machine, a new server handles its first requests late and would refuse them. */
export const PATIENT = { networkLimits: { headersTimeout: 300_000, requestTimeout: 300_000 } } as const;

/** Users who submit, list and edit on any of the servers, until `finish` is called. */
export class Load {
  readonly accepted: Promise<string[]>;
  readonly edits: Promise<number[]>;
  /** Answers that a service whose servers are replaced one by one never gives. */
  readonly faults: string[] = [];
  /** Number of jobs that each server has accepted, by its address. */
  readonly acceptedBy = new Map<string, number>();
  /** Users who have renamed a skin, by their keys. */
  readonly #editors = new Set<string>();
  readonly #users: number;
  readonly #enough: number;
  #isOver = false;
  #turn = 0;

  constructor(servers: readonly ServerProcess[], keys: readonly string[], enough = ENOUGH) {
    this.#enough = enough;
    this.#users = keys.length;
    const isOver = () => this.#isOver;
    onTestFinished(() => this.finish());
    const onFault = (fault: string) => this.faults.push(fault);
    const senders = keys.flatMap((key, user) =>
      Array.from({ length: SENDERS }, async (_, sender) => {
        let url = '';
        const pick = () => {
          const server = this.#pick(servers);
          url = server.url ?? '';
          return server;
        };
        const onHeard = (heard: Heard) => {
          if (heard.status === 202) this.acceptedBy.set(url, (this.acceptedBy.get(url) ?? 0) + 1);
          if (isFault(heard)) onFault(`${heard.status}: ${JSON.stringify(heard.body)}`);
        };
        return await submitUntil(isOver, { key, pictures: (user * SENDERS + sender) * 5_000, pick, onHeard });
      }),
    );
    this.accepted = Promise.all(senders).then((all) => all.flat());
    const pick = () => this.#pick(servers);
    this.edits = Promise.all(
      keys.map(async (key) => {
        const onEdit = () => this.#editors.add(key);
        return await editUntil(isOver, { key, pick, onFault, onEdit });
      }),
    );
  }

  /**
   * Resolves when each of these servers has accepted enough from now on, and each user has renamed a skin; or when
   * something is wrong.
   */
  async untilServedBy(servers: readonly ServerProcess[]): Promise<void> {
    this.acceptedBy.clear();
    this.#editors.clear();
    const isServed = (count: number) => count >= this.#enough;
    await poll(
      () => ({
        faults: this.faults.length,
        accepted: servers.map(({ url = '' }) => this.acceptedBy.get(url) ?? 0),
        editors: this.#editors.size,
      }),
      ({ faults, accepted, editors }) => faults > 0 || (accepted.every(isServed) && editors === this.#users),
    );
    expect(this.faults).toEqual([]);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  finish(): void {
    this.#isOver = true;
  }

  /** One of those that run, in turn. */
  #pick(servers: readonly ServerProcess[]): Pick<ServerProcess, 'url'> {
    const running = servers.filter(({ url }) => url !== undefined);
    return running[this.#turn++ % running.length] ?? { url: undefined };
  }
}

/** Resolves when all jobs have ended, to those that were accepted and are not completed. */
async function findLost({ db }: Pick<OpenStore, 'db'>, accepted: readonly string[]): Promise<string[]> {
  const jobs = await poll(
    () => db.selectFrom('jobs').select(['uuid', 'status']).execute(),
    (all) => all.every(({ status }) => status === 'completed' || status === 'failed'),
  );
  const completed = new Set(jobs.filter(({ status }) => status === 'completed').map(({ uuid }) => uuid));
  return accepted.filter((uuid) => !completed.has(uuid));
}

/** What has to be true of every upgrade. */
export async function expectNothingLost(load: Load, store: Pick<OpenStore, 'db'>): Promise<void> {
  const [accepted, edits] = await Promise.all([load.accepted, load.edits]);
  expect(load.faults).toEqual([]);
  expect(new Set(accepted).size).toBe(accepted.length);
  expect(await findLost(store, accepted)).toEqual([]);
  for (const count of edits) expect(count).toBeGreaterThan(0);
}
