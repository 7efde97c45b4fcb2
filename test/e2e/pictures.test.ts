import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { freshMachine } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';

test('serve draws pictures in a thread of its own, and still ends when told to', async () => {
  const serving = await (await freshMachine()).serve();
  const { body } = await serving.caller().upload('/v2/generate', skinPng(1));
  const heard = await serving.caller().get(`/v2/skins/${body.skin?.uuid}/body.png?size=64`);
  expect(heard.status).toBe(200);
  const { width, height } = PNG.sync.read(heard.bytes);
  expect([width, height]).toEqual([32, 64]);
  expect((await serving.end('SIGTERM')).exitCode).toBe(0);
});
