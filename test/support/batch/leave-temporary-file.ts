import { execa } from 'execa';

const LEAVE = `
const { Replacement } = await import(process.argv[1]);
for (const path of process.argv.slice(2)) new Replacement(path).write('half');
process.kill(process.pid, 'SIGKILL');
`;

/** Leaves the temporary files of these paths as a process does that is killed while it writes them. */
export async function leaveTemporaryFiles(...paths: readonly string[]): Promise<void> {
  const files = new URL('../../../src/base/files.ts', import.meta.url).href;
  const { signal } = await execa(process.execPath, ['--input-type=module', '-e', LEAVE, files, ...paths], {
    reject: false,
  });
  if (signal !== 'SIGKILL') throw new Error('The process was not killed.');
}
