import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite';
import { Client } from 'pg';
import { onTestFinished, vi } from 'vitest';

const METHODS = ['all', 'get', 'run'] as const;

/** Statements that the store asks of SQLite itself, about its own state: no other database would be asked. */
const OWN_STATE = /^PRAGMA|pragma_/i;
/** Notifications for other nodes, which use a connection of their own and which nothing waits for. */
const NEWS = /pg_notify/;
/** The key's owner. Cached for half a second on PostgreSQL, so the number of reads depends on time. */
const KEYS = /^select "api_keys"/;
const UNCOUNTED = [OWN_STATE, NEWS, KEYS];

/** Records what this process executes on all of its databases of either kind, until the test ends. */
export class Statements {
  #texts: string[] = [];

  constructor() {
    for (const method of METHODS) this.#record(method);
    const { exec } = DatabaseSync.prototype;
    const texts = () => this.#texts;
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
      texts().push(sql);
      return exec.call(this, sql);
    });
    this.#recordPostgres();
    onTestFinished(() => void vi.restoreAllMocks());
  }

  /** What has been executed since the last call. */
  take(): string[] {
    const taken = this.#texts.filter((text) => !UNCOUNTED.some((kind) => kind.test(text)));
    this.#texts = [];
    return taken;
  }

  #recordPostgres(): void {
    const { query } = Client.prototype;
    const texts = () => this.#texts;
    vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...asked: unknown[]) {
      const [first] = asked as [string | { readonly text: string }];
      texts().push(typeof first === 'string' ? first : first.text);
      return Reflect.apply(query, this, asked);
    } as typeof query);
  }

  #record(method: (typeof METHODS)[number]): void {
    const original = StatementSync.prototype[method];
    const texts = () => this.#texts;
    vi.spyOn(StatementSync.prototype, method).mockImplementation(function (
      this: StatementSync,
      ...values: Parameters<typeof original>
    ) {
      texts().push(this.sourceSQL);
      return Reflect.apply(original, this, values);
    } as typeof original);
  }
}

/**
 * How SQLite goes about each statement that `work` has the store run on the file at `path`. Statements about the
 * connection itself are left out.
 */
export async function plansOfWork(
  path: string,
  work: () => Promise<unknown>,
): Promise<{ sql: string; plan: string }[]> {
  const reader = new DatabaseSync(path);
  onTestFinished(() => reader.close());
  const ran: { sql: string; values: SQLInputValue[] }[] = [];
  const spies = (['all', 'run'] as const).map((method) => {
    const original = StatementSync.prototype[method];
    return vi.spyOn(StatementSync.prototype, method).mockImplementation(function (
      this: StatementSync,
      ...values: unknown[]
    ) {
      ran.push({ sql: this.sourceSQL, values: values as SQLInputValue[] });
      return Reflect.apply(original, this, values);
    } as typeof original);
  });
  await work();
  for (const spy of spies) spy.mockRestore();
  return ran
    .filter(({ sql }) => !OWN_STATE.test(sql) && !/^(?:begin|commit)/.test(sql))
    .flatMap(({ sql, values }) =>
      reader
        .prepare(`explain query plan ${sql}`)
        .all(...values)
        .map((row) => ({ sql, plan: String(row['detail']) })),
    );
}

/** Number of transactions with several statements; each statement outside them is one of its own. */
export function transactionsIn(texts: readonly string[]): number {
  return texts.filter((text) => text.startsWith('begin')).length;
}

/** Keeps periodic work from running between the counted statements. */
export function stopIntervals(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}
