import { expect, test } from 'vitest';
import type { BatchEvent, BatchSummary } from '../../../src/batch/api/batches.ts';
import type { BatchCall } from '../../../src/cli/batch/call.ts';
import { printPlan, printSummary } from '../../../src/cli/batch/summary.ts';
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

test.each([
  [1, '2 sources: 0 made, 1 already known, 1 failed. Written to out.\n'],
  [2, '2 sources: 0 made, 2 failed.\n'],
])('The end names the place of what was written, if anything was: %d of 2 failed', async (failed, text) => {
  const { io, err } = testIo();
  const context = { messages: new Messages(io, {}), signal: new AbortController().signal };
  const call = { context, follow: true, typed: { out: 'out' } } as unknown as BatchCall;
  const none = { made: 0, resumed: 0, submitted: 0, unproved: 0, queued: 0, left: 0, milliseconds: 0 };
  const summary = { ...none, end: 'done', sources: 2, finished: 2, failed } as unknown as BatchSummary;
  expect(await printSummary(summary, call, new Set(['invalid_image']))).toBe(1);
  expect(err()).toBe(text);
});
