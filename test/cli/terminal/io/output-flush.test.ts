import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { CLOSED_PIPE } from '../../../../src/cli/errors/exit.ts';
import { OutputFlush } from '../../../../src/cli/terminal/io.ts';

function errorWith(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** A stream that fails from the second write on, a moment later or at once. */
function failing(error: Error, delay: (done: () => void) => void): Writable {
  let count = 0;
  return new Writable({
    autoDestroy: false,
    write: (_chunk, _encoding, done) => delay(() => done(++count > 1 ? error : null)),
  });
}

test('Output that has arrived causes no report', async () => {
  const stdout = new PassThrough();
  const flush = new OutputFlush(stdout as unknown as NodeJS.WriteStream);
  stdout.write('all');
  await flush.complete();
  expect(String(stdout.read())).toBe('all');
});

test.each<[when: string, delay: (done: () => void) => void]>([
  ['at once', (done) => done()],
  ['a moment later', (done) => void setImmediate(done)],
])('Output that fails %s is reported by its first error', async (_, delay) => {
  const full = errorWith('ENOSPC');
  const stdout = failing(full, delay);
  const flush = new OutputFlush(stdout as unknown as NodeJS.WriteStream);
  stdout.write('one');
  stdout.write('two');
  await expect(flush.complete()).rejects.toBe(full);
});

test('Output without a reader counts as a closed pipe', async () => {
  const stdout = failing(errorWith('EPIPE'), (done) => done());
  const flush = new OutputFlush(stdout as unknown as NodeJS.WriteStream);
  stdout.write('one');
  stdout.write('two');
  await expect(flush.complete()).rejects.toBe(CLOSED_PIPE);
});
