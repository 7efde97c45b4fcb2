import { expect, test } from 'vitest';
import type { BatchEvent, BatchSummary } from '../../../src/batch/options.ts';
import type { BatchCall } from '../../../src/cli/batch/output.ts';
import { exitAfterFailures, printPlan, printSummary } from '../../../src/cli/batch/summary.ts';
import { Messages } from '../../../src/cli/terminal/messages.ts';
import { testIo } from '../../support/cli/test-io.ts';
import { refusal } from '../../support/client/failures.ts';

const PROGRESS = { sources: 3, wanted: 3, known: 0 };

test.each([
  [false, '3 sources: 3 to make.\n'],
  [true, '3 sources: 3 to ask the service for.\n'],
])('The plan counts only skins that the service will certainly make: --force %s', async (force, text) => {
  const { io, err } = testIo({ errTTY: true });
  const call = { context: { messages: new Messages(io, {}) }, typed: { force } } as unknown as BatchCall;
  const event = { type: 'planned', progress: PROGRESS, outdated: [], unknownSigner: 0 };
  await printPlan(event as unknown as Extract<BatchEvent, { type: 'planned' }>, call);
  expect(err()).toBe(text);
});

const NONE = {
  ...{ sources: 2, finished: 2, made: 0, resumed: 0, existing: 0, unchanged: 0, given: 0 },
  ...{ submitted: 0, unproved: 0, queued: 0, failed: 0, left: 0, milliseconds: 0 },
};

/** Prints the end of a batch; answers the exit status and what stderr got. */
async function printed(over: object, typed: object = { out: 'out' }, flags: object = {}) {
  const { io, err } = testIo();
  const signer = { service: async () => ({ name: 'https://a.example' }) };
  const context = { io, flags, messages: new Messages(io, {}), signal: new AbortController().signal };
  const call = { context: { ...context, ...signer }, settings: {}, follow: true, typed };
  const summary = { end: 'complete', ...NONE, ...over } as unknown as BatchSummary;
  const status = await printSummary(summary, call as unknown as BatchCall, new Set(['invalid_image']));
  return { status, text: err() };
}

test.each([
  [{ unchanged: 1, failed: 1 }, '2 sources: 1 unchanged, 1 failed. Written to out.\n'],
  [{ failed: 2 }, '2 sources: 2 failed.\n'],
])('The summary says where results were written, if any were: %j', async (over, text) => {
  expect(await printed(over)).toEqual({ status: 1, text });
});

test('The summary has separators in large numbers', async () => {
  const over = { end: 'stopped', sources: 31_000, finished: 30_000, made: 30_000, left: 1_000 };
  const { text } = await printed(over, { maxNew: 30_000 });
  expect(text).toBe(
    '31,000 sources: 30,000 made, 1,000 left.\nStopped at --max-new 30,000. Run the same command again to make the rest.\n',
  );
});

test('The summary warns of a written lockfile that is so large that GitHub would warn of it', async () => {
  const MEBIBYTE = 1024 * 1024;
  const warned = async (written: boolean, bytes: number, flags = {}) => {
    const lockfile = { written, bytes, dropped: 0, gone: [], renamed: [], isRefused: false };
    return (await printed({ made: 2, lockfile }, {}, flags)).text.split('\n').slice(1).join('\n');
  };
  const text =
    'warning: The lockfile has 53 MiB: GitHub warns of files over 50 MiB and refuses those over 100 MiB. ' +
    'Give each folder a lockfile of its own: --lock FILE\n';
  expect(await warned(true, 52.4 * MEBIBYTE)).toBe(text);
  expect(await warned(true, 52.4 * MEBIBYTE, { json: true })).toBe(text);
  expect(await warned(true, 50 * MEBIBYTE)).toBe('');
  expect(await warned(false, 52.4 * MEBIBYTE)).toBe('');
});

test.each([
  [{ unchanged: 2 }, '2 sources: up to date.\n'],
  [{ sources: 1, finished: 1, unchanged: 1 }, '1 source: up to date.\n'],
  [{ sources: 0, finished: 0 }, 'No sources: the list is empty.\n'],
  [{ unchanged: 1 }, '2 sources: up to date.\n'], // the other one has the same picture
  [
    { existing: 1, unchanged: 1, submitted: 1 },
    '2 sources: 1 already at the service (1 submission), 1 unchanged. Written to out.\n',
  ],
  [
    {
      end: 'stopped',
      sources: 9,
      finished: 7,
      existing: 2,
      made: 1,
      resumed: 1,
      given: 1,
      unchanged: 1,
      left: 2,
    },
    '9 sources: 2 made (1 in an earlier run), 2 already at the service (2 submissions), 1 unchanged, ' +
      '1 given as skin data, 1 the same as another, 2 left. Written to out.\n' +
      'Stopped at --max-new 3. Run the same command again to make the rest.\n',
  ],
])('The summary says what happened: %j', async (over, text) => {
  expect(await printed(over, { out: 'out', maxNew: 3 })).toEqual({ status: 0, text });
});

test.each([
  [{ made: 1, left: 1 }, {}, 0],
  [{ existing: 1, left: 1 }, {}, 0],
  [{ resumed: 1, left: 1 }, {}, 0],
  [{ made: 1, left: 1 }, { failIfLeft: true }, 3],
  [{ unchanged: 1, left: 1 }, {}, 3],
  [{ made: 1, failed: 1 }, { failIfLeft: true }, 1],
])(
  'A batch that made skins up to --max-new succeeds unless the rest is requested: %j with %j',
  async (over, typed, status) => {
    const stopped = { ...over, end: 'stopped', finished: 1 };
    expect((await printed(stopped, { maxNew: 1, ...typed })).status).toBe(status);
  },
);

test('With --json, the summary is a line of JSON', async () => {
  const { text } = await printed({ end: 'stopped', unchanged: 1, left: 1, finished: 1 }, {}, { json: true });
  expect(JSON.parse(text)).toMatchObject({
    summary: { sources: 2, unchanged: 1, made: 0, left: 1, shared: 0 },
  });
});

test.each([
  [refusal(402, 'payment'), 'refused', /^Once there are credits, run the same command again/],
  [refusal(403, 'new_rule'), 'refused', /^Once it accepts them again/],
  [refusal(403, 'insufficient_grants'), 'notAllowed', /whoami/],
])(
  'A batch that the service refuses ends by saying what is left, with an error: %j',
  async (error, exit, hint) => {
    const halted = { end: 'halted', halt: { error }, sources: 9, made: 2, finished: 7, failed: 5, left: 2 };
    const { io, err } = testIo();
    const context = { io, flags: {}, messages: new Messages(io, {}), service: async () => ({ name: 'x' }) };
    const call = { context, settings: {}, follow: true, typed: {} } as unknown as BatchCall;
    const printing = printSummary(
      { ...NONE, ...halted } as unknown as BatchSummary,
      call,
      new Set(['new_rule']),
    );
    await expect(printing).rejects.toMatchObject({
      message: 'The service accepts no more skins: No.',
      exit,
      hint: expect.stringMatching(hint),
    });
    expect(err()).toBe('9 sources: 2 made, 5 failed, 2 left.\n');
  },
);

test('A batch that ends with sources that have neither a skin nor an error has failed', async () => {
  const left = printed({ sources: 9, finished: 7, made: 7, left: 2 });
  await expect(left).rejects.toMatchObject({
    code: 'sources_left',
    message: '2 sources have neither a skin nor an error.',
    exit: 'failed',
  });
});

test.each(['job_missing', 'missing_result'])(
  'A batch can be tried again if skins are missing only until the service shows them: %s',
  (code) => {
    expect(exitAfterFailures(new Set([code]))).toBe('tryLater');
    expect(exitAfterFailures(new Set([code, 'invalid_image']))).toBe('failed');
  },
);
