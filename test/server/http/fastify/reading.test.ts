import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Reading } from '../../../../src/server/http/fastify/reading.ts';

test('A connection is read again only when no reason is left not to', () => {
  const reading = new Reading();
  const socket = new PassThrough().resume() as unknown as Socket;
  reading.pause(socket, 'requests');
  reading.pause(socket, 'turn');
  reading.resume(socket, 'requests');
  expect(socket.isPaused()).toBe(true);
  reading.resume(socket, 'turn');
  expect(socket.isPaused()).toBe(false);
});

test('A connection that something else paused is left as it is', () => {
  const reading = new Reading();
  const socket = new PassThrough().pause() as unknown as Socket;
  reading.resume(socket, 'turn');
  expect(socket.isPaused()).toBe(true);
});
