import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runConformance } from '../../../src/cli/commands/conformance.ts';
import { type DoubleOptions, startDouble } from '../../../src/double/double.ts';
import { type Ran, runCommand } from '../../support/cli/run-command.ts';
import { hastyClock } from '../../support/server/hasty-clock.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

async function open(options: DoubleOptions = {}) {
  const double = await startDouble({ scenario: { service: { time: 300 } }, ...options });
  onTestFinished(async () => await double.stop().catch(() => {}));
  return double;
}

type Options = Parameters<typeof runConformance>[0];

async function judge(options: Options, surroundings: Parameters<typeof runCommand>[1]): Promise<Ran> {
  return await runCommand(
    async (context) => await runConformance(options, { ...context, clock: hastyClock }),
    surroundings,
  );
}

interface View {
  readonly counts: Record<string, number>;
  readonly made: number;
  readonly stays: readonly string[];
  readonly checks: readonly Record<string, unknown>[];
}

test('It judges a server, says what it made there, and writes the same as JUnit', async () => {
  const { url, key } = await open();
  const junit = join(await ownFolder(), 'conformance.xml');
  const { status, out } = await judge({ only: 'write', junit }, { url, key, flags: { json: true } });
  const { counts, made, stays, checks } = JSON.parse(out) as View;
  expect([status, counts['differs'], made, stays]).toEqual([0, 0, 5, []]);
  expect(checks[0]).toMatchObject({ check: 'submit-type', verdict: 'pass', statements: ['7.3'] });
  const xml = readFileSync(junit, 'utf8');
  expect(xml.match(/<testcase /g)).toHaveLength(checks.length);
  expect(xml.match(/<skipped /g)).toHaveLength((counts['not_there'] ?? 0) + (counts['not_tried'] ?? 0));
  // An earlier report is replaced; a file of somebody else is not.
  const other = join(await ownFolder(), 'notes.xml');
  writeFileSync(other, 'mine');
  const { told } = await judge({ junit: other }, { url, key });
  expect([told?.code, readFileSync(other, 'utf8')]).toEqual(['output_exists', 'mine']);
});

test('It exits with 1 for a server that differs, and cleans what that answers', async () => {
  const answer = { status: 200, body: '<p>\u001b[31mred\u001b[0m\u0007' };
  const rules = [{ on: { route: 'GET /v2/capes' }, do: { answer } }];
  const { url, key } = await open({ scenario: { rules } });
  const { status, out, err } = await judge({}, { url, key, isTTY: true });
  expect(status).toBe(1);
  expect(out).toContain('expected GET /v2/capes: JSON');
  expect(out).not.toContain('\u0007');
  expect(err).toContain('Judging http://127.0.0.1');
  expect(err).toContain('differs: 1');
});

test('A key that the server refuses, or no server at all, is no verdict', async () => {
  const { url } = await open();
  const refused = await judge({}, { url, key: 'f00'.repeat(30) });
  expect([refused.told?.code, refused.told?.exit]).toEqual(['invalid_api_key', 'notAllowed']);
  const nobody = await judge({}, { url: 'http://127.0.0.1:1' });
  expect([nobody.told?.code, nobody.told?.exit]).toEqual(['unreachable', 'tryLater']);
  const unnamed = await judge({}, {});
  expect([unnamed.told?.code, unnamed.told?.exit]).toEqual(['no_service', 'usage']);
  const pointless = await judge({ generations: 2 }, { url });
  expect(pointless.told?.code).toBe('conflicting_options');
});

test('After an interruption it deletes what it made, and says what it could not', async () => {
  const never = { on: { route: 'POST /v2/queue', every: 2 }, do: { job: { never: true } } } as const;
  const double = await open({ scenario: { service: { time: [0, 0] }, rules: [never] } });
  const stop = new AbortController();
  const watch = setInterval(() => {
    if (double.requests.some(({ kind }) => kind === 'job')) stop.abort(new DOMException('', 'AbortError'));
  }, 5);
  const { told, err } = await judge(
    { only: 'write' },
    { url: double.url, key: double.key, signal: stop.signal, isTTY: true },
  );
  clearInterval(watch);
  expect(told?.code).toBe('interrupted');
  expect(err).toMatch(
    /warning: This stays at http:\S+: the job \w+, which becomes the unlisted skin conformance-/,
  );
  expect(double.requests.some(({ kind, status }) => kind === 'delete' && status === 200)).toBe(true);
});
