import { DatabaseSync } from 'node:sqlite';
import { onTestFinished, vi } from 'vitest';

/** Runs `work` as soon as a statement of this process finds a database locked by another connection. */
export function onceLocked(act: () => void): void {
  const { exec } = DatabaseSync.prototype;
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    try {
      exec.call(this, sql);
    } catch (error) {
      spy.mockRestore();
      act();
      throw error;
    }
  });
  onTestFinished(() => spy.mockRestore());
}
