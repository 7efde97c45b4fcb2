import { createPublicKey } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { SigningThreads } from '../../../../src/server/generators/signing/signing-threads.ts';
import { isSignedBy } from '../../../../src/textures/signature.ts';
import { openSigningKey } from '../../../../src/textures/signing-key.ts';

const openKey = async () => (await openSigningKey(inject('signingKeyPath'))).privateKey;

/** A thread that signs when it is told to. */
class SlowThread {
  readonly asked: { value: string; done: (signature: string) => void; failed: (error: Error) => void }[] = [];
  isReady = false;
  isStopped = false;

  get length(): number {
    return this.asked.length;
  }

  async sign(value: string): Promise<string> {
    return await new Promise((done, failed) => this.asked.push({ value, done, failed }));
  }

  signAll(): void {
    for (const { value, done } of this.asked.splice(0)) done(`slowly: ${value}`);
  }

  failAll(): void {
    for (const { failed } of this.asked.splice(0)) failed(new Error('It has ended.'));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
  }
}

/** What signs with up to `most` threads, and the threads that it has started. */
async function slowThreads(most: number) {
  const key = await openKey();
  const started: SlowThread[] = [];
  const start = () => {
    const thread = new SlowThread();
    started.push(thread);
    return thread;
  };
  const threads = new SigningThreads(key, { most, start });
  const isSigned = (value: string, signature: string) => isSignedBy(createPublicKey(key), value, signature);
  const signSome = (count: number) => Array.from({ length: count }, (_, index) => threads.sign(`${index}`));
  return { threads, started, isSigned, signSome };
}

/** Enough for a thread to be worth its start. */
const MANY = 24;

/** What signs with one thread, which is started and ready. */
async function withThread(most: number) {
  const parts = await slowThreads(most);
  await Promise.all(parts.signSome(MANY + 1));
  for (const thread of parts.started) thread.isReady = true;
  return parts;
}

test('A few values, or a few at a time, need no thread', async () => {
  const { started, isSigned, signSome } = await slowThreads(1);
  await Promise.all(signSome(MANY));
  for (let time = 0; time < 3; time++) {
    const signatures = await Promise.all(signSome(4));
    for (const [index, signature] of signatures.entries()) expect(isSigned(`${index}`, signature)).toBe(true);
  }
  expect(started).toEqual([]);
});

test('Of many, the pool signs all until a thread is ready, and then the thread does', async () => {
  const { started, isSigned, signSome, threads } = await slowThreads(1);
  const signatures = await Promise.all(signSome(MANY + 6));
  for (const [index, signature] of signatures.entries()) expect(isSigned(`${index}`, signature)).toBe(true);
  const [thread] = started;
  expect(thread?.asked).toEqual([]);
  thread!.isReady = true;
  const later = threads.sign('later');
  thread!.signAll();
  expect(await later).toBe('slowly: later');
  expect(started).toHaveLength(1);
});

test('Another thread starts where eight values wait for each, up to the limit', async () => {
  const { started, signSome } = await withThread(2);
  const first = signSome(10);
  expect(started.map((thread) => thread.length)).toEqual([10, 0]);
  started[1]!.isReady = true;
  const second = signSome(20);
  expect(started.map((thread) => thread.length)).toEqual([15, 15]);
  for (const thread of started) thread.signAll();
  await Promise.all([...first, ...second]);
});

test('What a thread cannot sign, the pool does, and no other thread is started', async () => {
  const { started, isSigned, signSome } = await withThread(2);
  const signatures = signSome(6);
  started[0]?.failAll();
  for (const [index, signature] of (await Promise.all(signatures)).entries()) {
    expect(isSigned(`${index}`, signature)).toBe(true);
  }
  await Promise.all(signSome(20));
  expect(started).toHaveLength(1);
});

test('Its threads are stopped with it', async () => {
  const { started, signSome, threads } = await withThread(2);
  const signatures = signSome(9);
  for (const thread of started) thread.signAll();
  await Promise.all(signatures);
  await threads.stop();
  expect(started.map(({ isStopped }) => isStopped)).toEqual([true, true]);
});

test('Real threads sign as the pool does', async () => {
  const key = await openKey();
  const threads = new SigningThreads(key, { most: 2 });
  try {
    for (let batch = 0; batch < 4; batch++) {
      const values = Array.from({ length: 40 }, (_, index) => `value ${index}`);
      const signatures = await Promise.all(values.map((value) => threads.sign(value)));
      const publicKey = createPublicKey(key);
      expect(values.filter((value, index) => !isSignedBy(publicKey, value, signatures[index] ?? ''))).toEqual(
        [],
      );
    }
  } finally {
    await threads.stop();
  }
});
