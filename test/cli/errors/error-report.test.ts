import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { PlayerNameError } from '../../../src/batch/sources/player-names.ts';
import { reportOf } from '../../../src/cli/errors/error-report.ts';
import { CliError } from '../../../src/cli/errors/exit.ts';
import {
  JobFailedError,
  NetworkError,
  ServiceError,
  UnreadableAnswerError,
} from '../../../src/client/errors.ts';
import { failureOf } from '../../support/client/test-client.ts';
import { tempFolder } from '../../support/textures/temp-folder.ts';

function refused(status: number, code: string): ServiceError {
  const errors = code === '' ? [] : [{ code, message: `${code}!` }];
  const answer = { method: 'GET', path: '/v2/me', links: {}, rateLimit: undefined, retryAfter: undefined };
  return new ServiceError({ ...answer, status, errors });
}

const system = (parts: object) => Object.assign(new Error('system'), parts);
const uncertain = new NetworkError('cut', {
  cause: { code: 'SELF_SIGNED_CERT_IN_CHAIN' },
  mayHaveArrived: true,
});
const plain = new NetworkError('cut', {
  cause: { code: 'ERR_SSL_WRONG_VERSION_NUMBER' },
  mayHaveArrived: false,
});
const lost = new NetworkError('cut', { cause: undefined, mayHaveArrived: true });

describe('reportOf', () => {
  const rows: [what: string, error: unknown, code: string, exit: string, hint?: RegExp][] = [
    ['a usage error', new CliError('odd', 'Odd.', { exit: 'usage', hint: 'Do.' }), 'odd', 'usage', /^Do\.$/],
    ['Ctrl-C', AbortSignal.abort().reason, 'interrupted', 'interrupted'],
    ['no connection', lost, 'unreachable', 'tryLater', /config get base-url/],
    [
      'http at an https address',
      plain,
      'unreachable',
      'tryLater',
      /^The server at this address uses http, not https\./,
    ],
    ['a strange certificate', uncertain, 'unreachable', 'failed', /set NODE_EXTRA_CA_CERTS/],
    [
      'an HTML page of a proxy',
      new UnreadableAnswerError('HTML', { status: 502 }),
      'unreadable_answer',
      'tryLater',
    ],
    ['another program', new UnreadableAnswerError('JSON', { status: 200 }), 'unreadable_answer', 'failed'],
    [
      'a failed job',
      new JobFailedError('j', [{ code: 'invalid_image', message: 'No.' }]),
      'invalid_image',
      'failed',
    ],
    ['no key', refused(401, 'unauthorized'), 'unauthorized', 'notAllowed', /skinsmith login/],
    ['a bad key', refused(403, 'invalid_api_key'), 'invalid_api_key', 'notAllowed', /skinsmith login/],
    [
      'no right',
      refused(403, 'insufficient_grants'),
      'insufficient_grants',
      'notAllowed',
      /skinsmith whoami/,
    ],
    ['a full queue', refused(429, 'job_limit'), 'job_limit', 'tryLater', /skinsmith jobs/],
    ['a used up minute', refused(429, 'rate_limit'), 'rate_limit', 'tryLater', /Wait a minute/],
    ['a service without accounts', refused(503, 'no_account_available'), 'no_account_available', 'tryLater'],
    ['a proxy in trouble', refused(502, ''), 'http_502', 'tryLater'],
    [
      'a database without a store',
      system({ code: 'no_store' }),
      'no_store',
      'failed',
      /when it first starts/,
    ],
    ['a lost job', refused(404, 'job_not_found'), 'job_not_found', 'failed', /skinsmith jobs/],
    ['a bad picture', refused(400, 'invalid_image'), 'invalid_image', 'failed'],
    ['a fault of the service', refused(500, 'internal_error'), 'internal_error', 'failed'],
    ['a full disk', system({ code: 'ENOSPC', path: '/d' }), 'enospc', 'failed'],
    ['a failing disk', system({ code: 'EIO', path: '/d' }), 'eio', 'failed'],
    [
      'a game that cannot be reached',
      new PlayerNameError('game_unreachable', 'The player could not be looked up.'),
      'game_unreachable',
      'tryLater',
    ],
    ['an unknown player', new PlayerNameError('invalid_user', 'There is none.'), 'invalid_user', 'failed'],
    [
      'a port in use',
      system({ code: 'EADDRINUSE', address: '127.0.0.1', port: 1 }),
      'eaddrinuse',
      'failed',
      /already be running.*--port/,
    ],
    [
      'a damaged store',
      system({ code: 'ERR_SQLITE_ERROR', errcode: 11 }),
      'data_unusable',
      'failed',
      /keep signing-key.pem/,
    ],
    [
      'a store that cannot be opened',
      system({ code: 'ERR_SQLITE_ERROR', errcode: 14 }),
      'data_unusable',
      'failed',
      /SKINSMITH_DATA_DIR/,
    ],
    [
      'a host that there is not',
      system({ code: 'ENOTFOUND', hostname: 'a.example' } as never),
      'enotfound',
      'failed',
      undefined,
    ],
    [
      'a store of the future',
      system({ code: 'store_too_new', hint: 'Install the newer version.' } as never),
      'store_too_new',
      'failed',
      /newer version/,
    ],
  ];
  test.each(rows)(
    'reports %s with its code, its exit status and what to do next',
    (_, error, code, exit, hint) => {
      const told = reportOf(error);
      expect(told).toMatchObject({ code, exit });
      if (hint) expect(told?.hint).toMatch(hint);
      else expect(told?.hint).toBeUndefined();
      expect(told?.message).not.toBe('');
    },
  );

  test("reports a rare system error in the system's words", () => {
    const error = Object.assign(new Error("ENXIO: no such device or address, open '/a/pipe'"), {
      ...{ code: 'ENXIO', errno: -6, syscall: 'open', path: '/a/pipe' },
    });
    expect(reportOf(error)).toEqual({
      ...{ code: 'enxio', message: '/a/pipe: No such device or address.' },
      ...{ hint: undefined, exit: 'failed' },
    });
  });

  test.each([
    new TypeError('x is not a function'),
    new Error('x'),
    'text',
    null,
    undefined,
    7,
    system({ code: 'EWHATEVER' }),
  ])('reports nothing for %s, because it is a bug', (error) => {
    expect(reportOf(error)).toBeUndefined();
  });

  test('names the file or address that an error is about', async () => {
    const folder = await tempFolder();
    await writeFile(`${folder}/file`, '');
    const failure = await failureOf(readFile(`${folder}/file/below`));
    expect(reportOf(failure)?.message).toBe(`${folder}/file/below: Part of the path is not a folder.`);
    expect(reportOf(system({ code: 'EADDRINUSE', address: '::1', port: 7546 }))?.message).toBe(
      '::1:7546: Another program is already listening there.',
    );
    // For any free port, Node names none.
    expect(reportOf(system({ code: 'EADDRNOTAVAIL', address: '203.0.113.5' }))?.message).toBe(
      '203.0.113.5: This machine has no such address.',
    );
    expect(reportOf(system({ code: 'ENOSPC' }))?.message).toBe('The disk is full.');
  });

  test.each([
    [80, /^Ports below 1024 are .*: --port <number>$/],
    [8080, /^To listen on another port, .*: --port <number>$/],
  ])('suggests another port instead of port %d, which needs root', (port, hint) => {
    const refusal = { code: 'EACCES', syscall: 'listen', address: '127.0.0.1', port };
    expect(reportOf(system(refusal))).toMatchObject({
      message: `127.0.0.1:${port}: Permission denied.`,
      hint: expect.stringMatching(hint),
    });
    expect(reportOf(system({ ...refusal, syscall: 'connect' }))?.hint).toBeUndefined();
  });
});
