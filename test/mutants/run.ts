/**
 * Tests the tests (`npm run mutants -- [ROOM ...] [--count 300] [--seed 1]`): puts one small bug after another into a
 * copy of a room's sources, runs the tests that should notice, prints each bug and the share that was noticed.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Copy } from './copy.ts';
import { type Mutation, mutationsOf } from './mutations.ts';
import { testsReaching } from './reach.ts';
import { ROOMS, type Room } from './rooms.ts';

interface Mutant extends Mutation {
  /** Path of the source from the project's root. */
  readonly file: string;
}

const root = resolve(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' } },
});
const names = positionals.length > 0 ? positionals : Object.keys(ROOMS);
const copies = await Promise.all(Array.from({ length: availableParallelism() }, () => Copy.make(root)));
try {
  for (const name of names) await testRoom(name, Number(values.count), Number(values.seed));
} finally {
  await Promise.all(copies.map((copy) => copy.remove()));
}

async function testRoom(name: string, count: number, seed: number): Promise<void> {
  const room = ROOMS[name];
  if (!room) throw new Error(`There is no room ${name}. There are: ${Object.keys(ROOMS).join(', ')}.`);
  const left = sample([...new Set(room.sources.flatMap(filesOf))].flatMap(mutantsOf), count, random(seed));
  const all = left.length;
  const stagesOf = testsReaching(root, testsOf(room));
  if (await copies[0]?.fails(testsOf(room))) throw new Error(`Tests of ${name} fail without any mutation.`);
  let survived = 0;
  const work = async (copy: Copy) => {
    for (let mutant = left.pop(); mutant; mutant = left.pop()) {
      const isKilled = await copy.notices(mutant.file, mutant, stagesOf(mutant.file));
      if (!isKilled) survived++;
      process.stdout.write(`${isKilled ? 'killed  ' : 'SURVIVED'} ${told(mutant)}\n`);
    }
  };
  await Promise.all(copies.map(work));
  const share = ((100 * (all - survived)) / all).toFixed(1);
  process.stdout.write(`${name}: ${all - survived} of ${all} killed, ${share} %, seed ${seed}\n`);
}

function testsOf({ tests }: Room): readonly string[] {
  const found = tests.flatMap((path) =>
    path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.test.ts`, { cwd: root }),
  );
  return [...new Set(found)];
}

function filesOf(source: string): readonly string[] {
  if (statSync(join(root, source)).isFile()) return [source];
  return globSync(`${source}/**/*.ts`, { cwd: root });
}

function mutantsOf(file: string): readonly Mutant[] {
  return mutationsOf(readFileSync(join(root, file), 'utf8')).map((mutation) => ({ ...mutation, file }));
}

function told({ file, start, what }: Mutant): string {
  const line = readFileSync(join(root, file), 'utf8').slice(0, start).split('\n').length;
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
