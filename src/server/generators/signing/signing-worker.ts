// The start of a thread that signs (see signing-thread.ts).
import type { KeyObject } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { batchSigner } from '../../../textures/batch-signer.ts';

const sign = batchSigner(workerData as KeyObject);

parentPort?.on('message', (value: string) => {
  parentPort?.postMessage(sign(value));
});
