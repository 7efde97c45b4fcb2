// The start of a thread that signs (see signing-thread.ts).
import { type KeyObject, sign } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';

const key = workerData as KeyObject;

parentPort?.on('message', (value: string) => {
  parentPort?.postMessage(sign('RSA-SHA1', Buffer.from(value), key).toString('base64'));
});
