import { execa, type ResultPromise } from 'execa';
import { onTestFinished } from 'vitest';
import type { ServerOptions } from '../../../src/server/server.ts';
import { childProgram } from '../program/child-program.ts';
import { saying } from '../program/program.ts';
import { storeFor } from './chosen-store.ts';

/** A service in a process of its own. It ends with the test. @throws Error if it ends before it listens */
export async function runProcess(
  options: ServerOptions,
): Promise<{ readonly url: string; readonly process: ResultPromise }> {
  const all = { ...(await storeFor(options.dataDir)), ...options };
  const child = execa(process.execPath, [childProgram('serve-process'), JSON.stringify(all)], {
    reject: false,
    stderr: ['pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await child;
  });
  const line = await saying(child, 'stdout', /\n/);
  return { url: line.trim(), process: child };
}
