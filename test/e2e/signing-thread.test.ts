import { createPublicKey, randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { execa } from 'execa';
import { expect, inject, onTestFinished, test } from 'vitest';
import { isSignedBy } from '../../src/textures/signature.ts';
import { openSigningKey } from '../../src/textures/signing-key.ts';
import { freshMachine, ROOT } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { ownFolder } from '../support/server/own-folder.ts';

/** Enough for the embedded service to start a thread that signs. */
const MANY = 60;

/** Writes at the end which files were started as threads. */
const RECORDER = `const threads = require('node:worker_threads');
  const files = [];
  threads.Worker = class extends threads.Worker {
    constructor(file, options) {
      super(file, options);
      files.push(String(file));
    }
  };
  process.on('exit', () => require('node:fs').writeFileSync(process.env.STARTED, JSON.stringify(files)));`;

/** The files that the built program starts as threads while it makes many skins. */
async function threadsOfBatch(): Promise<string[]> {
  const folder = await ownFolder();
  const [skins, recorder, started] = ['skins', 'recorder.cjs', 'started.json'].map((name) =>
    join(folder, name),
  );
  await mkdir(skins!);
  await writeFile(recorder!, RECORDER);
  for (let n = 0; n < MANY; n++) await writeFile(join(skins!, `${n}.png`), skinPng(n));
  const { env } = await freshMachine();
  const args = ['--require', recorder!, join(ROOT, 'bin/skinsmith.js'), 'generate', skins!];
  await execa(process.execPath, args, { env: { ...env, STARTED: started! } });
  return JSON.parse(await readFile(started!, 'utf8'));
}

test('A batch signs in a thread, whose file is part of the program', async () => {
  const [file = '', ...others] = new Set(await threadsOfBatch()); // on many cores there may be several
  expect(others).toEqual([]);
  const { privateKey } = await openSigningKey(inject('signingKeyPath'));
  const worker = new Worker(new URL(file), { workerData: privateKey });
  onTestFinished(async () => void (await worker.terminate()));
  const value = randomUUID();
  const answer = new Promise<string>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  );
  worker.postMessage(value);
  expect(isSignedBy(createPublicKey(privateKey), value, await answer)).toBe(true);
});
