import { describe, expect, test } from 'vitest';
import { allOf, onlyOf, problemOf, rootsIn, UUID } from '../../../support/batch/read-sources.ts';
import { failureOf } from '../../../support/client/test-client.ts';

describe('A picture on stdin', () => {
  test('is read when its turn comes, in chunks of any size', async () => {
    const stdin = async function* () {
      for (const piece of ['a ', '', 'pic', 'ture']) yield Buffer.from(piece);
    };
    expect(await onlyOf({ args: ['-'] }, rootsIn('/', stdin))).toEqual({
      label: '-',
      content: { kind: 'bytes', bytes: Buffer.from('a picture') },
      stem: 'stdin',
    });
  });

  test('must not be empty', async () => {
    expect(problemOf(await onlyOf({ args: ['-'] }, rootsIn('/', '')))).toEqual({
      code: 'empty_input',
      message: 'Stdin is empty.',
    });
  });

  test('is not read on when it is too large', async () => {
    let pieces = 0;
    const endless = async function* () {
      for (;;) {
        pieces++;
        yield Buffer.alloc(1024 * 1024);
      }
    };
    expect(problemOf(await onlyOf({ args: ['-'] }, rootsIn('/', endless)))).toMatchObject({
      code: 'invalid_image',
    });
    expect(pieces).toBe(9);
  });

  test('that cannot be read affects no other source', async () => {
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.reject(Object.assign(new Error('illegal operation'), { code: 'EISDIR' }));
    };
    const [stdin, user] = await allOf({ args: ['-', UUID] }, rootsIn('/', broken));
    expect(problemOf(stdin!)).toEqual({ code: 'eisdir', message: 'stdin: illegal operation.' });
    expect(user?.content.kind).toBe('uuid');
  });

  test.each([{ args: ['-', '-'] }, { args: ['-'], from: ['-'] }, { from: ['-', '-'] }])(
    'is read only once: %j',
    async (parts) => {
      const failure = await failureOf(allOf(parts, rootsIn('/')));
      expect(failure).toMatchObject({
        name: 'BatchSetupError',
        code: 'stdin_twice',
        hint: expect.any(String),
      });
    },
  );
});
