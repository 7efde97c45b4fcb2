import { crc32 } from 'node:zlib';
import { skinPng } from '../server/drawn-skins.ts';
import type { ServerUnderTest } from '../server/running-server.ts';
import type { Heard, TestCaller } from '../server/test-caller.ts';

/** One request to a service that has just started. */
export type Send = (server: ServerUnderTest) => Promise<Heard>;

export const PNG = skinPng(1);
export const PNG_FILE = new Blob([new Uint8Array(PNG)], { type: 'image/png' });

export const post =
  (content: unknown, path = '/v2/generate'): Send =>
  ({ owner }) =>
    owner.json(path, content);

export const upload =
  (png: Uint8Array, fields: Record<string, string> = {}): Send =>
  ({ owner }) =>
    owner.upload('/v2/generate', png, fields);

export const get =
  (path: string): Send =>
  ({ owner }) =>
    owner.get(path);

export const raw =
  (contentType: string, body: string | Buffer): Send =>
  ({ owner }) =>
    owner.send('POST', '/v2/generate', { body, headers: { 'content-type': contentType } });

/** Multipart with these parts; a Blob is a file. */
export const parts =
  (...all: [name: string, content: string | Blob][]): Send =>
  ({ owner }) => {
    const form = new FormData();
    for (const [name, content] of all) {
      if (typeof content === 'string') form.append(name, content);
      else form.append(name, content, 'a.png');
    }
    return owner.form('/v2/generate', form);
  };

export const authorized =
  (authorization: string): Send =>
  ({ owner }) =>
    owner.get('/v2/me', { authorization });

/** The picture with a header that claims another size. */
export function resizedPng(width: number, height: number): Buffer {
  const png = Buffer.from(PNG);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}

export function damagedPng(): Buffer {
  const png = Buffer.from(PNG);
  png.writeUInt8(png.readUInt8(60) ^ 0xff, 60);
  return png;
}

/** Queues a picture and returns the ID of its job. */
export async function queueSkin(caller: TestCaller, number: number): Promise<string> {
  return String((await caller.upload('/v2/queue', skinPng(number))).body.job?.id);
}
