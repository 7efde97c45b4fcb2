import { describe, expect, test } from 'vitest';
import {
  CHECK_NAMES,
  type Check,
  type CheckFinding,
  type CheckName,
  examine,
  ok,
  problem,
  warning,
} from '../../../../src/cli/doctor/check.ts';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { CliError } from '../../../../src/cli/errors/exit.ts';
import { makeSetup } from '../../../support/cli/setup.ts';

/** The findings of all checks where these look otherwise and the rest find nothing. */
async function examined(
  looks: Partial<Record<CheckName, Check['look']>>,
  { late = new AbortController().signal, signal = new AbortController().signal } = {},
) {
  const { setup } = await makeSetup();
  const checks = Object.fromEntries(
    CHECK_NAMES.map((name) => [
      name,
      { needs: CHECKS[name].needs, look: looks[name] ?? (async () => ok('')) },
    ]),
  ) as Record<CheckName, Check>;
  const found = new Map<CheckName, CheckFinding>();
  for await (const [name, finding] of examine(checks, { setup, late, signal })) found.set(name, finding);
  return found;
}

describe('An examination', () => {
  test('reports every check in order', async () => {
    expect([...(await examined({})).keys()]).toEqual(CHECK_NAMES);
  });

  test('skips checks that depend on a failed one, directly or not', async () => {
    const found = await examined({ connection: async () => problem('No way.') });
    const skippedNames = CHECK_NAMES.filter((name) => found.get(name)?.result === 'skipped');
    expect(skippedNames).toEqual(CHECK_NAMES.slice(CHECK_NAMES.indexOf('answer')));
    expect(found.get('generator')?.detail).toBe('Skipped: see the check of the key.');
  });

  test('continues after a warning', async () => {
    const found = await examined({ key: async () => warning('None.') });
    expect(found.get('limits')).toEqual(ok(''));
  });

  test('reports an error of a check as a problem', async () => {
    const look = async () => {
      throw new CliError('broken', 'It is broken.', { hint: 'Mend it.' });
    };
    expect((await examined({ data: look })).get('data')).toEqual(problem('It is broken.', 'Mend it.'));
  });

  test('throws on a bug', async () => {
    const look = async () => {
      throw new RangeError('oops');
    };
    await expect(examined({ generator: look })).rejects.toThrow('oops');
  });

  test('waits for no check longer than its time, even if it ignores the signal', async () => {
    const late = AbortSignal.timeout(30);
    const deaf = () => new Promise<never>(() => {});
    const heeding = () =>
      new Promise<never>((_, reject) => late.addEventListener('abort', () => reject(late.reason)));
    const found = await examined({ textures: deaf, limits: heeding }, { late });
    for (const name of ['textures', 'limits'] as const) {
      expect(found.get(name)).toMatchObject({ result: 'problem', detail: 'The request timed out.' });
    }
    expect(found.get('generator')).toEqual(ok(''));
  });

  test('ends when it is interrupted', async () => {
    const signal = AbortSignal.abort();
    const look = async () => signal.throwIfAborted() as never;
    await expect(examined({ data: look }, { signal })).rejects.toBe(signal.reason);
  });
});
