import { expect, test } from 'vitest';
import type { BatchEvent } from '../../../src/batch/api/batches.ts';
import type { BatchCall } from '../../../src/cli/batch/call.ts';
import { printPlan } from '../../../src/cli/batch/summary.ts';
import { Messages } from '../../../src/cli/terminal/messages.ts';
import { testIo } from '../../support/cli/test-io.ts';

const PROGRESS = { sources: 3, wanted: 3, known: 0 };

test.each([
  [false, '3 sources: 3 to make.\n'],
  [true, '3 sources: 3 to ask the service for.\n'],
])('The plan promises to make only what the service surely makes: --force %s', async (force, text) => {
  const { io, err } = testIo({ errTTY: true });
  const call = { context: { messages: new Messages(io, {}) }, typed: { force } } as unknown as BatchCall;
  const event = { type: 'planned', progress: PROGRESS, outdated: [], unknownSigner: 0 };
  await printPlan(event as unknown as Extract<BatchEvent, { type: 'planned' }>, call);
  expect(err()).toBe(text);
});
