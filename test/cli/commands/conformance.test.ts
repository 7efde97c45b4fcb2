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

test('conformance judges a server, says what it made there, and writes the same as JUnit', async () => {
  const double = await open();
  const { url, key } = double;
  const junit = join(await ownFolder(), 'conformance.xml');
  const { status, out } = await judge({ only: 'write', junit }, { url, key, flags: { json: true } });
  const { counts, made, stays, checks } = JSON.parse(out) as View;
  // Five, and a sixth where the queue is still full when it comes: the hosted service lets that one in.
  const jobs = double.requests.filter((sent) => sent.submits !== undefined && sent.status === 202).length;
  expect([status, counts['differs'], made, stays]).toEqual([0, 0, jobs, []]);
  expect(jobs).toBeGreaterThanOrEqual(5);
  expect(checks[0]).toMatchObject({ check: 'submit-type', verdict: 'pass', statements: ['7.3'] });
  const xml = readFileSync(junit, 'utf8');
  expect(xml.match(/<testcase /g)).toHaveLength(checks.length);
  expect(xml.match(/<skipped /g)).toHaveLength((counts['absent'] ?? 0) + (counts['untried'] ?? 0));
  // An earlier report is replaced; a file of someone else is not.
  const other = join(await ownFolder(), 'notes.xml');
  writeFileSync(other, 'mine');
  const before = double.requests.length;
  const { told } = await judge({ junit: other }, { url, key });
  expect([told?.code, readFileSync(other, 'utf8')]).toEqual(['output_exists', 'mine']);
  expect(double.requests).toHaveLength(before);
});

test('conformance exits with 1 for a server that differs, and removes control characters from its answers', async () => {
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

test('conformance names the request of each difference, in JSON and in JUnit', async () => {
  const rules = [{ on: { route: 'GET /v2/capes' }, do: { answer: { status: 200, body: '<p>' } } }];
  const { url, key } = await open({ scenario: { rules } });
  const junit = join(await ownFolder(), 'conformance.xml');
  const { status, out } = await judge({ only: 'capes', junit }, { url, key, flags: { json: true } });
  const { checks } = JSON.parse(out) as View;
  const sent = `curl -X GET '${url}/v2/capes' -H "Authorization: Bearer $SKINSMITH_API_KEY"`;
  expect([status, checks]).toEqual([1, [expect.objectContaining({ check: 'capes', sent })]]);
  expect(readFileSync(junit, 'utf8')).toContain(sent.replaceAll('"', '&quot;').replaceAll("'", '&#39;'));
});

test('conformance without a key makes skins only with --no-key, and says that they stay', async () => {
  const double = await open();
  const refused = await judge({ only: 'write' }, { url: double.url });
  expect([refused.told?.code, refused.told?.exit, double.requests]).toEqual(['no_key', 'usage', []]);
  const one = await judge({ only: 'made-skin' }, { url: double.url });
  expect(one.told?.code).toBe('no_key');
  const told = await judge(
    { only: 'made-skin', key: false },
    { url: double.url, key: double.key, isTTY: true },
  );
  expect(told.err).toMatch(/warning: This stays at http:\S+: the skin \w{32}/);
  expect(double.requests.every(({ key }) => key === 'none')).toBe(true);
});

test('conformance takes a key from a file that ends with a line break, and refuses a file without a key', async () => {
  const { url, key } = await open();
  const [file, other] = [join(await ownFolder(), 'key'), join(await ownFolder(), 'other')];
  writeFileSync(file, `${key}\n`);
  writeFileSync(other, '\n');
  const read = await judge({ only: 'me', keyFile: file }, { url, flags: { json: true } });
  expect((JSON.parse(read.out) as View).counts['pass']).toBe(1);
  const { told } = await judge({ only: 'me', keyFile: other }, { url });
  expect([told?.code, told?.exit]).toEqual(['not_a_key', 'usage']);
});

test('conformance refuses an unknown check and names all checks', async () => {
  const { url } = await open();
  const { told } = await judge({ only: 'made-of-cheese' }, { url });
  expect([told?.code, told?.message]).toEqual(['unknown_check', 'No check is named made-of-cheese.']);
  expect(told?.hint).toContain('made-pixels');
});

test('conformance gives no verdict without a server, or if the server refuses the key', async () => {
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

test('After an interruption, conformance deletes what it made, and says what it could not delete', async () => {
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
  expect(err).toMatch(/warning: This stays at http:\S+: the job \w+, which becomes the unlisted skin cf-/);
  expect(double.requests.some(({ kind, status }) => kind === 'delete' && status === 200)).toBe(true);
});
