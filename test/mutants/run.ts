/**
 * Tests the tests (`npm run mutants -- --help`): puts one small bug after another into a copy of a room's sources, runs
 * the tests that should notice, prints each bug and the share that was noticed.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Copy, type Noticing } from './copy.ts';
import { type Mutation, mutationsOf } from './mutations.ts';
import { testsReaching } from './reach.ts';
import { missingPaths, ROOMS, type Room } from './rooms.ts';
import { mutationFor, readWrittenList, WRITTEN_LISTS } from './written.ts';

interface Mutant extends Mutation {
  /** Path of the source from the project's root. */
  readonly file: string;
  readonly line: number;
}

const root = resolve(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    near: { type: 'boolean', default: false },
    written: { type: 'boolean', default: false },
    copies: { type: 'string', default: String(availableParallelism()) },
    help: { type: 'boolean', default: false },
  },
});
const HELP = `npm run mutants -- [ROOM ...] [--count 300] [--seed 1] [--near] [--copies N]
npm run mutants -- --written [LIST ...] [--copies N]

  --count N   bugs in each room
  --seed N    the same seed picks the same bugs of the same sources
  --near      run only the tests close to a source: much faster, and a few more bugs survive
  --copies N  bugs tried at once (default: one for each core)
  --written   tries the bugs that people thought of, in test/mutants/written

Rooms (default: all): ${Object.keys(ROOMS).join(', ')}
Lists (default: all): ${WRITTEN_LISTS.join(', ')}
`;
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const named = positionals.length > 0 ? positionals : values.written ? WRITTEN_LISTS : Object.keys(ROOMS);
const tries = named.map(values.written ? writtenTry : randomTry);
/** Milliseconds that a run of some tests may take with a mutation beyond what all took together without any. */
const EXTRA_TIME = 30_000;
const firstCopy = await Copy.make(root);
const more = Array.from({ length: Number(values.copies) - 1 }, () => Copy.make(root));
const copies = [firstCopy, ...(await Promise.all(more))];
process.once('exit', () => {
  for (const copy of copies) copy.remove();
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
for (const one of tries) await tryAll(one);
await Promise.all(copies.map((copy) => copy.close()));

function findRoom(name: string): { readonly name: string; readonly room: Room } {
  const room = ROOMS[name];
  if (!room) throw new Error(`There is no room ${name}. There are: ${Object.keys(ROOMS).join(', ')}.`);
  const missing = missingPaths(root, room);
  if (missing.length > 0)
    throw new Error(`The room ${name} names what does not exist: ${missing.join(', ')}.`);
  return { name, room };
}

/** Bugs, and the tests that should notice them. */
interface Try {
  /** For the report. */
  readonly name: string;
  readonly mutants: readonly Mutant[];
  readonly tests: readonly string[];
  /** Of these, folders that are run first. */
  readonly first?: readonly string[];
  /** Tests of what is built, run last. */
  readonly built?: readonly string[];
}

function randomTry(name: string): Try {
  const { room } = findRoom(name);
  const mutants = sample(
    sourcesOf(room).flatMap(mutantsOf),
    Number(values.count),
    random(Number(values.seed)),
  );
  const first = room.first ?? [];
  return { name: `${name}, seed ${values.seed}`, mutants, tests: testsOf(room), first };
}

function writtenTry(name: string): Try {
  const { tests, built = [], bugs } = readWrittenList(name);
  const mutants = bugs.flatMap((bug) => {
    const text = readFileSync(join(root, bug.file), 'utf8');
    const mutation = mutationFor(bug, text);
    if (mutation) return { ...mutation, file: bug.file, line: lineAt(text, mutation.start) };
    print(`does not fit any more: ${bug.file} ${bug.what}`);
    return [];
  });
  return {
    name,
    mutants,
    tests: testsOf({ sources: [], tests }),
    built: testsOf({ sources: [], tests: built }),
  };
}

async function tryAll({ name, mutants, tests, first = [], built = [] }: Try): Promise<void> {
  const left = [...mutants];
  const all = left.length;
  const reaching = (those: readonly string[]) => testsReaching(root, those, first, values.near);
  const possible = reaching(tests);
  const needed = new Set([...left.flatMap(({ file }) => possible(file).flat()), ...built]);
  const { sound, took } = await soundTests(name, [...needed]);
  const stagesOf = reaching(sound.filter((test) => !built.includes(test)));
  const last = built.filter((test) => sound.includes(test));
  const limit = EXTRA_TIME + took;
  let survived = 0;
  const work = async (copy: Copy) => {
    for (let mutant = left.shift(); mutant; mutant = left.shift()) {
      const noticing: Noticing = { stages: stagesOf(mutant.file), built: last.length > 0 ? [last] : [] };
      const by = await copy.noticed(mutant.file, mutant, noticing, limit);
      if (by === undefined) survived++;
      print(by === undefined ? `SURVIVED ${told(mutant)}` : `killed   ${told(mutant)} | by ${by}`);
    }
  };
  await Promise.all(copies.map(work));
  const share = ((100 * (all - survived)) / all).toFixed(1);
  print(`${name}: ${all - survived} of ${all} killed, ${share} %`);
}

/** The tests without those that fail anyway, which would seem to notice everything. `took`: milliseconds. */
async function soundTests(
  name: string,
  tests: readonly string[],
): Promise<{ sound: readonly string[]; took: number }> {
  const started = performance.now();
  const { failures, errors } = await firstCopy.run(tests);
  const took = performance.now() - started;
  if (errors.length > 0) throw new Error(`The tests of ${name} cannot be run:\n${errors.join('\n')}`);
  for (const failure of failures) {
    print(`left out: ${failure.file} fails without any mutation: ${failure.tests.join('; ')}`);
  }
  const unsound = new Set(failures.map(({ file }) => file));
  return { sound: tests.filter((test) => !unsound.has(test)), took };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function testsOf({ tests }: Room): readonly string[] {
  const found = tests.flatMap((path) =>
    path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.test.ts`, { cwd: root }),
  );
  return [...new Set(found)];
}

function sourcesOf({ sources, except = [] }: Room): readonly string[] {
  const all = sources.flatMap(filesOf);
  const isOthers = (file: string) => except.some((path) => file === path || file.startsWith(`${path}/`));
  return [...new Set(all)].filter((file) => !isOthers(file));
}

function filesOf(source: string): readonly string[] {
  if (statSync(join(root, source)).isFile()) return [source];
  return globSync(`${source}/**/*.ts`, { cwd: root });
}

function mutantsOf(file: string): readonly Mutant[] {
  const text = readFileSync(join(root, file), 'utf8');
  return mutationsOf(text).map((mutation) => ({
    ...mutation,
    file,
    line: lineAt(text, mutation.start),
  }));
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function told({ file, line, what }: Mutant): string {
  return `${file}:${line} ${what}`;
}

function sample<T>(all: readonly T[], count: number, next: () => number): T[] {
  const left = [...all];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0)
    taken.push(...left.splice(Math.floor(next() * left.length), 1));
  return taken;
}

/** Mulberry32: the same seed picks the same mutants. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
