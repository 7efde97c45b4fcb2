/**
 * Runs all tests (`npm test`): those that mostly wait beside those that keep a core busy, so that the cores have work
 * while something is waited for. Options are Vitest's: those of reports, such as `--reporter=json`, are for one report of
 * all tests. With names of tests, only these are run, without a division.
 */
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { startDatabaseMaker } from './support/postgres/database-maker.ts';
import { makeSetup } from './support/setup/build.ts';
import { SHARED, setEnvironment } from './support/setup/environment.ts';
import { WAITING_FILES } from './support/setup/test-order.ts';
import { isWhole, WHOLE_ONLY } from './support/setup/whole-run.ts';

/** Workers for tests that wait. Each further worker takes four seconds of CPU to load and compile what it tests. */
const WAITERS = 3;
/** More than there are cores, because busy tests wait too: for programs that they start, and for a browser. */
const BUSY = availableParallelism() + 1;

const root = join(import.meta.dirname, '..');
const options = process.argv.slice(2);
const isOfReport = (option: string) => /^--(?:reporter|outputFile)\b/.test(option);
const [ofReport, ofRuns] = [options.filter(isOfReport), options.filter((option) => !isOfReport(option))];
const namesTests = options.some((option) => !option.startsWith('-'));
setEnvironment(process.env);
// The runs get the signal as well, and end by themselves. What they share is removed afterwards.
process.on('SIGINT', () => {});
process.exitCode = namesTests ? await vitest(['run', ...options]) : await runAll();

async function runAll(): Promise<number> {
  const { folder, remove } = await makeSetup();
  const databases = await startDatabaseMaker();
  const reports = join(folder, 'reports');
  await mkdir(reports);
  const env = { [SHARED.folder]: folder, [SHARED.databases]: String(databases.port) };
  const run = async (name: string, ...words: string[]) => {
    const report = ['--reporter=default', '--reporter=blob', `--outputFile.blob=${join(reports, name)}.json`];
    return await vitest(['run', ...report, ...words, ...ofRuns], env);
  };
  const left = isWhole ? [] : Object.keys(WHOLE_ONLY);
  const waiting = WAITING_FILES.filter((file) => !left.includes(file));
  try {
    const statuses = await Promise.all([
      run('waiting', `--maxWorkers=${WAITERS}`, ...waiting),
      run('busy', `--maxWorkers=${BUSY}`, ...[...waiting, ...left].map((file) => `--exclude=${file}`)),
    ]);
    const reporters = ofReport.length > 0 ? ofReport : ['--reporter=minimal'];
    // A run that ended too early is in no report, but has a status.
    return Math.max(...statuses, await vitest(['run', `--merge-reports=${reports}`, ...reporters], env));
  } finally {
    await databases.stop();
    await remove();
  }
}

/** Answers its exit status. Its output is passed on line by line: two at once on one terminal overwrite each other. */
async function vitest(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
  const { exitCode } = await execa('vitest', words, {
    cwd: root,
    env: { ...env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
    preferLocal: true,
    reject: false,
    buffer: false,
    stdin: 'inherit',
    stdout: ['pipe', 'inherit'],
    stderr: ['pipe', 'inherit'],
  });
  return exitCode ?? 1;
}
