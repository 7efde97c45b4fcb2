import { expect, test } from 'vitest';
import { LogText } from '../../../../src/cli/serve/own-log.ts';
import { colorsFor } from '../../../../src/cli/terminal/io.ts';
import { testIo } from '../../../support/cli/test-io.ts';

const time = new Date(2026, 10, 22, 14, 5, 6).getTime();
const base = { time, pid: 1, hostname: 'h', reqId: 'r' };
const request = {
  ...base,
  level: 30,
  method: 'POST',
  path: '/v2/queue',
  status: 202,
  ms: 1.2,
  msg: 'request',
};

async function written(lines: readonly (object | string)[], showsRequests = false): Promise<string> {
  const { io, err } = testIo();
  const log = new LogText({ write: io.err.write, colors: await colorsFor(io.err), showsRequests });
  for (const line of lines) log.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  return err();
}

test('Events are lines with the time of day and what belongs to them', async () => {
  const events = [
    { ...base, level: 30, url: 'http://127.0.0.1:1', msg: 'started' },
    { ...base, level: 40, msg: 'Slow.' },
    { ...base, level: 50, err: { message: 'broken', stack: 'at x' }, msg: 'worker' },
  ];
  expect(await written(events)).toBe(
    [
      '14:05:06 started  url=http://127.0.0.1:1',
      '14:05:06 warning: Slow.',
      '14:05:06 error: worker  err=broken',
      '',
    ].join('\n'),
  );
});

test('A start whose address was already shown is not logged, but its signer is', async () => {
  const { io, err } = testIo();
  const log = new LogText({
    write: io.err.write,
    colors: await colorsFor(io.err),
    isAnnounced: true,
    showsRequests: false,
  });
  for (const more of [{}, { signer: 'the game' }]) {
    log.write(
      `${JSON.stringify({ ...base, level: 30, url: 'http://127.0.0.1:1', ...more, msg: 'started' })}\n`,
    );
  }
  expect(err()).toBe('14:05:06 signer: the game\n');
});

test('Requests are logged on request', async () => {
  expect(await written([request])).toBe('');
  expect(await written([{ ...request, user: 'anna', aborted: true }], true)).toBe(
    '14:05:06 POST /v2/queue 202 1.2 ms (the caller disconnected)  anna\n',
  );
});

test('Text from callers cannot control the terminal', async () => {
  const nasty = { ...request, path: '/\u001b[2Jx\r\ny', user: '\u202ea' };
  expect(await written([nasty, 'no \u001b[31mJSON'], true)).toBe(
    '14:05:06 POST /x  y 202 1.2 ms  a\nno JSON\n',
  );
});
