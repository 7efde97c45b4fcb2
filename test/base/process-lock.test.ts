import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { acquireLock, type LockHolder, type ProcessLock } from '../../src/base/process-lock.ts';
import { onceLocked } from '../support/base/once-locked.ts';
import { childProgram } from '../support/program/child-program.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { poll } from '../support/server/poll.ts';
import { samples } from '../support/setup/extent.ts';

/** Larger than any process id of a system. */
const NO_PROCESS = 2 ** 31 - 1;

/** Another process that has tried for the lock; `said` is what came of it. */
async function rival(path: string, about: string) {
  const child = execa(process.execPath, [childProgram('hold-lock'), path, about], { reject: false });
  onTestFinished(() => void child.kill('SIGKILL'));
  const first = await Promise.race([child.iterable()[Symbol.asyncIterator]().next(), child]);
  return { child, said: 'value' in first ? first.value : undefined };
}

async function holderOf(path: string): Promise<LockHolder | undefined> {
  const answer = await acquireLock(path, 'asking');
  if ('holder' in answer) return answer.holder;
  answer.release();
  throw new Error('The lock was free.');
}

async function take(path: string): Promise<ProcessLock> {
  const held = await acquireLock(path, 'a test');
  if ('holder' in held) throw new Error(`The lock is held: ${JSON.stringify(held.holder)}`);
  onTestFinished(() => held.release());
  return held;
}

describe('acquire', () => {
  test('gives the lock to one holder only, even within one process', async () => {
    const path = join(await ownFolder(), 'locks', 'batch.lock');
    const held = await take(path);
    expect(await holderOf(path)).toEqual({ pid: process.pid, about: 'a test', since: expect.any(Number) });
    held.release();
    await take(path);
  });

  test('reports its holder, the purpose and the start', async () => {
    const path = join(await ownFolder(), 'batch.lock');
    const before = Date.now();
    const { child } = await rival(path, '/skins/skins.lock');
    const holder = await holderOf(path);
    expect(holder).toMatchObject({ pid: child.pid, about: '/skins/skins.lock' });
    expect(holder?.since).toBeGreaterThanOrEqual(before);
    expect(holder?.since).toBeLessThanOrEqual(Date.now());
  });

  test('gets the lock of a process that was killed', async () => {
    const path = join(await ownFolder(), 'batch.lock');
    for (let round = 0; round < samples(5); round++) {
      const { child, said } = await rival(path, 'killed soon');
      expect(said).toBe('held');
      child.kill('SIGKILL');
      await child;
    }
    await take(path);
  });

  test('gets the lock when the other process releases it, or merely ends', async () => {
    const path = join(await ownFolder(), 'batch.lock');
    const { child } = await rival(path, 'for a while');
    child.stdin.write('enough\n');
    const held = await poll(
      async () => await acquireLock(path, 'a test'),
      (answer) => 'release' in answer,
    );
    if ('release' in held) held.release();
    expect((await child).exitCode).toBe(0);
  });

  test('succeeds for exactly one of many processes that start at once', async () => {
    const path = join(await ownFolder(), 'batch.lock');
    const rivals = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => rival(path, name)));
    const said = rivals.map((one) => one.said);
    expect(said.filter((one) => one === 'held')).toHaveLength(1);
    const winner = 'abcdef'[said.indexOf('held')];
    expect(new Set(said)).toEqual(new Set(['held', `lost to ${winner}`]));
  });

  test('waits a moment if the holder is unknown, because two processes may start at once', async () => {
    const path = join(await ownFolder(), 'batch.lock');
    const nameless = new DatabaseSync(path);
    nameless.exec('BEGIN EXCLUSIVE');
    onceLocked(() => nameless.close());
    await take(path);
  });

  test('holds two locks at once', async () => {
    const folder = await ownFolder();
    const [one, other] = [join(folder, 'one'), join(folder, 'other')];
    const first = await take(one);
    await take(other);
    first.release();
    expect(await holderOf(other)).toMatchObject({ pid: process.pid });
  });

  test("creates only the lock file and the holder's name, and removes both", async () => {
    const folder = await ownFolder();
    const held = await take(join(folder, 'batch.lock'));
    expect(readdirSync(folder)).toEqual(['batch.lock', 'batch.lock.holder']);
    held.release();
    expect(readdirSync(folder)).toEqual(['batch.lock']);
  });

  test('allows a second release without harm to a new holder', async () => {
    const path = join(await ownFolder(), 'batch.lock');
    const first = await take(path);
    first.release();
    await take(path);
    first.release();
    expect(await holderOf(path)).toMatchObject({ pid: process.pid });
  });
});

describe('The name of the holder', () => {
  test.each([
    ['that is dead', JSON.stringify({ pid: NO_PROCESS, about: 'long ago', since: 0 })],
    ['that is no JSON', '{"pid":'],
    ['that is no holder', '{"pid":-1}'],
  ])('%s keeps nobody from a free lock', async (_, text) => {
    const path = join(await ownFolder(), 'batch.lock');
    writeFileSync(`${path}.holder`, text);
    await take(path);
    expect(JSON.parse(readFileSync(`${path}.holder`, 'utf8'))).toMatchObject({ pid: process.pid });
  });

  test('may be missing or unreadable while the lock is held', async () => {
    const path = join(await ownFolder(), 'batch.lock');
    await take(path);
    for (const text of ['nobody', '{"pid":-1,"about":"x","since":0}', 'null']) {
      writeFileSync(`${path}.holder`, text);
      expect(await holderOf(path)).toBeUndefined();
    }
    rmSync(`${path}.holder`);
    expect(await holderOf(path)).toBeUndefined();
  });
});

test('A file that is no lock, or a folder that cannot be made, is an error', async () => {
  const folder = await ownFolder();
  writeFileSync(join(folder, 'text'), 'x'.repeat(5000));
  await expect(acquireLock(join(folder, 'text'), 'a test')).rejects.toMatchObject({
    code: 'lock_file_damaged',
    message: `${join(folder, 'text')}: The lock file is damaged.`,
  });
  await expect(acquireLock(join(folder, 'text', 'below'), 'a test')).rejects.toThrow(/ENOTDIR|EEXIST/);
});

test("A lock is released if the holder's name cannot be written", async () => {
  const path = join(await ownFolder(), 'batch.lock');
  mkdirSync(join(`${path}.holder`, 'below'), { recursive: true });
  await expect(acquireLock(path, 'a test')).rejects.toThrow();
  await expect(acquireLock(path, 'a test')).rejects.not.toHaveProperty('holder');
});
