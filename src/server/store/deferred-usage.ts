import type { Db } from './db.ts';
import { inTransaction } from './db.ts';
import { prepare } from './prepared.ts';
import type { SkinViewRow } from './schema/skin-tables.ts';
import type { ApiKeyRow } from './schema/user-tables.ts';

/** Milliseconds until what is noted is written. */
const DELAY = 2_000;
/** Number of entries that are written at once, without waiting. */
const MANY = 1_000;

/** The last use of a key is for information, not a log: it is noted at most once in this many ms. */
const LAST_USED_STEP = 60_000;
/** Keys whose last use is remembered. */
const MANY_KEYS = 10_000;

/**
 * Counts whose loss does no harm: the last uses of keys, the generations asked for with them, and the views of skins.
 * They are written together every few seconds and when the store is closed; a killed process loses only the last of
 * them.
 */
export class DeferredUsage {
  readonly #lastUsed = new Map<string, number>();
  #used = new Map<string, number>();
  #generations = new Map<string, number>();
  #views = new Map<string, SkinViewRow>();
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when all writes that have begun are over, whatever came of them. */
  #underWay: Promise<void> = Promise.resolve();

  /** Notes that the key was used. */
  useKey(db: Db, key: Pick<ApiKeyRow, 'id' | 'last_used_at'>, now: number): void {
    const last = this.#lastUsed.get(key.id) ?? key.last_used_at;
    if (last !== null && now - last < LAST_USED_STEP) return;
    if (this.#lastUsed.size >= MANY_KEYS) this.#lastUsed.clear();
    this.#lastUsed.set(key.id, now);
    this.#used.set(key.id, now);
    this.#writeSoon(db);
  }

  /**
   * Notes a generation that was accepted for the key. It is written with what is written next: the key's next use at the
   * latest, once a minute, so that a batch costs no statements of its own.
   */
  countGeneration(db: Db, keyId: string): void {
    this.#generations.set(keyId, (this.#generations.get(keyId) ?? 0) + 1);
    if (this.#size >= MANY) this.#writeSoon(db);
  }

  /** Notes a view; a second one by the same viewer in the same hour does not count. */
  view(db: Db, view: SkinViewRow): void {
    this.#views.set(JSON.stringify([view.skin_id, view.viewer, view.hour]), view);
    this.#writeSoon(db);
  }

  /** Writes what is noted, and waits for writes that began before. */
  async flush(db: Db): Promise<void> {
    const earlier = this.#underWay;
    const write = this.#write(db);
    this.#underWay = Promise.allSettled([earlier, write]).then(() => undefined);
    if (!db.isTransaction) await earlier; // inside a transaction: it may wait for the end of that
    await write;
  }

  async #write(db: Db): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [used, generations, views] = [this.#used, this.#generations, this.#views];
    if (this.#size === 0) return;
    this.#used = new Map();
    this.#generations = new Map();
    this.#views = new Map();
    await inTransaction(db, async (tx) => {
      for (const [id, at] of used) await TOUCH_KEY.run(tx, { id, at });
      for (const [id, count] of generations) await ADD_GENERATIONS.run(tx, { id, count });
      for (const view of views.values()) await countView(tx, view);
    });
  }

  get #size(): number {
    return this.#used.size + this.#generations.size + this.#views.size;
  }

  #writeSoon(db: Db): void {
    const isMuch = this.#size >= MANY;
    // A store that cannot be written is reported by whoever has something of weight to write.
    const write = () => void this.flush(db).catch(() => {});
    if (isMuch) write();
    else this.#timer ??= setTimeout(write, DELAY).unref();
  }
}

const TOUCH_KEY = prepare((db, { id, at }: { id: string; at: number }) =>
  db.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id),
);

const ADD_GENERATIONS = prepare((db, { id, count }: { id: string; count: number }) =>
  db
    .updateTable('api_keys')
    .set((eb) => ({ generations: eb('generations', '+', count) }))
    .where('id', '=', id),
);

const ADD_VIEW = prepare((db, { skin_id, viewer, hour }: SkinViewRow) =>
  db
    .insertInto('skin_views')
    .columns(['skin_id', 'viewer', 'hour'])
    .expression(
      db
        .selectFrom('skins')
        .select((eb) => ['skins.id', eb.val(viewer).as('viewer'), eb.val(hour).as('hour')])
        .where('skins.id', '=', skin_id),
    )
    .onConflict((conflict) => conflict.columns(['skin_id', 'viewer', 'hour']).doNothing()),
);

const COUNT_VIEW = prepare((db, { id }: { id: number }) =>
  db
    .updateTable('skins')
    .set((eb) => ({ views: eb('views', '+', 1) }))
    .where('id', '=', id),
);

/** Counts a view, unless the viewer was counted in that hour or the skin is gone. */
async function countView(tx: Db, view: SkinViewRow): Promise<void> {
  if ((await ADD_VIEW.change(tx, view)) === 1) await COUNT_VIEW.run(tx, { id: view.skin_id });
}
