import { once } from 'node:events';
import { execa, type ResultPromise } from 'execa';
import { onTestFinished } from 'vitest';
import type { ServerOptions } from '../../../src/server/server.ts';
import { childProgram } from '../program/child-program.ts';
import { storeFor } from './chosen-store.ts';

/** A service in a process of its own. It is gone when the test ends. */
export async function runProcess(
  options: ServerOptions,
): Promise<{ readonly url: string; readonly process: ResultPromise }> {
  const all = { ...(await storeFor(options.dataDir)), ...options };
  const child = execa(process.execPath, [childProgram('serve-process'), JSON.stringify(all)], {
    reject: false,
    stderr: 'inherit',
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await child;
  });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { url: line.toString().trim(), process: child };
}
