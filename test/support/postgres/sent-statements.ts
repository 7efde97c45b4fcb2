import { Client } from 'pg';
import { onTestFinished, vi } from 'vitest';

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Records the statements with values that this process sends to PostgreSQL, until the test ends. */
export function sentStatements(): readonly Sent[] {
  const sent: Sent[] = [];
  const { query } = Client.prototype;
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...asked: unknown[]) {
    const [first] = asked as [Partial<Sent>];
    if (first.values && first.text !== undefined) sent.push({ text: first.text, values: first.values });
    return Reflect.apply(query, this, asked);
  } as typeof query);
  onTestFinished(() => void vi.restoreAllMocks());
  return sent;
}
