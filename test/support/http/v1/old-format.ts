import { expect } from 'vitest';
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../../../src/protocol/errors.ts';
import {
  type V1ErrorAnswer,
  v1ErrorAnswerSchema,
  v1GenerateAnswerSchema,
} from '../../../../src/protocol/v1.ts';
import type { ServerUnderTest } from '../../server/running-server.ts';
import type { Heard } from '../../server/test-caller.ts';

export type V1Generated = z.infer<typeof v1GenerateAnswerSchema>;

/** The body as sent: TestCaller itself expects version 2. */
export function bodyOf(heard: Heard): unknown {
  return JSON.parse(heard.bytes.toString('utf8'));
}

/** A 200 in the old format, with nothing in it that the format does not have. */
export function readGenerated(heard: Heard): V1Generated {
  expect({ status: heard.status, body: bodyOf(heard) }).toMatchObject({ status: 200 });
  return z.strictObject(v1GenerateAnswerSchema.shape).parse(bodyOf(heard));
}

/** A refusal in the old format, with nothing in it that the format does not have. */
export function readRefusal(heard: Heard): V1ErrorAnswer {
  return z.strictObject(v1ErrorAnswerSchema.shape).parse(bodyOf(heard));
}

/** Status, code and shape of an old answer that refuses. */
export function expectOldRefusal(
  heard: Heard,
  code: ErrorCode,
  status: number = ERRORS[code].status,
): V1ErrorAnswer {
  expect({ status: heard.status, body: bodyOf(heard) }).toMatchObject({ status, body: { errorCode: code } });
  expect(heard.headers['mineskin-api-version']).toMatch(/^v1(-with-v2-compat)?$/);
  const refusal = readRefusal(heard);
  expect(refusal.error).toMatch(/\S/);
  expect(refusal.errorType).toMatch(/^(?:MineSkin|Generator)Error$/);
  expect(refusal.delayInfo.seconds).toBe(refusal.delay);
  if (status === 429) {
    expect(refusal.error).toBe('Too many requests');
    expect(refusal.delay).toBeGreaterThanOrEqual(1);
    expect(Number(heard.headers['retry-after'])).toBe(refusal.delay);
  }
  return refusal;
}

/** A key that sends all its requests through the queue of version 2: the owner's, or that of a user. */
export async function switchedKey({ owner }: ServerUnderTest, user?: string): Promise<string> {
  const { status, body } = await owner.json('/v2/account/keys', { user, v2Compat: true });
  expect(status).toBe(201);
  return String(body.key?.secret);
}
