/**
 * Starts a server, attacks it from loopback addresses, and prints how long `/health` and a request with a key take meanwhile, how much of that
 * the server's main thread worked (the computer spent the rest on other things), and the most memory that the server had
 * (`node bench/attacks.ts`; `node bench/attacks.ts keys keys` runs only one attack, twice). The exit status is 1 when the
 * slowest response or the memory exceeds its limit.
 */
import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { Probe } from './health-probe.ts';
import { Machine, ROOT } from './machine.ts';
import { eachLine, forgetPeak, peakOf, type Service, startOwn } from './services.ts';

/** Maximum response time of `/health`, in milliseconds. */
const LIMIT = 1_000;
/** Maximum memory of the server, in MB. */
const MEMORY_LIMIT = 500;
/** Duration of each attack, in milliseconds. */
const DURATION = 10_000;

/** By their names in bench/attacker.ts. */
const ATTACKS: Readonly<Record<string, string>> = {
  // For comparison: other work of the computer also delays the responses.
  none: 'no attack',
  streams: '50 addresses hold 20 event streams each',
  silent: 'one address holds 2,000 silent connections',
  pipelined: '50 connections send 1,000 requests each and read nothing',
  keys: '10 addresses send requests with random keys over 1,000 connections',
  bodies: '20 addresses send bodies byte by byte over 2,000 connections',
  unread: '10 addresses request /openapi.json over 1,000 connections and read nothing',
  uncounted: '10 addresses pipeline /health, OPTIONS, and addresses where nothing is over 1,000 connections',
};

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(ATTACKS);

await Machine.with(async (machine) => {
  const service = await startOwn(machine, { pace: 0, workers: 1 });
  try {
    for (const name of chosen) await report(machine, service, { name, title: ATTACKS[name] ?? name });
  } finally {
    await service.close();
  }
});

async function report(
  machine: Machine,
  service: Service,
  { name, title }: { name: string; title: string },
): Promise<void> {
  forgetPeak(service);
  const probes = await watch(machine, service, name);
  const start = performance.now();
  const owner = await statusOfStream(service);
  const ownerTime = (performance.now() - start).toFixed(1);
  const timesOf = (caller: Probe['caller']) =>
    sorted(probes.filter((probe) => probe.caller === caller).map(({ time }) => time));
  const [times, holder] = [timesOf('health'), timesOf('holder')];
  const work = sorted(probes.map((probe) => probe.work));
  const memory = peakOf(service);
  process.stdout.write(
    `${title}: /health ${times.length} times, median ${at(times, 0.5)} ms, 99 % ${at(times, 0.99)} ms, ` +
      `slowest ${at(times, 1)} ms (work of the server: ${at(work, 0.5)}, ${at(work, 0.99)}, ${at(work, 1)} ms); ` +
      `with a key: median ${at(holder, 0.5)} ms, slowest ${at(holder, 1)} ms; the owner's event stream: ${owner} after ${ownerTime} ms; memory: ${memory.toFixed(0)} MB\n`,
  );
  const slowest = Math.max(Number(at(times, 1)), Number(at(holder, 1)));
  if (!(slowest <= LIMIT) || owner !== 200 || memory > MEMORY_LIMIT) process.exitCode = 1;
}

/** The times of `/health` during the attack, which begins when the probe is warm. */
async function watch(machine: Machine, { url, pid, env }: Service, name: string): Promise<Probe[]> {
  const args = [
    join(ROOT, 'bench/health-probe.ts'),
    url,
    String(pid),
    String(DURATION),
    env['SKINSMITH_API_KEY'] ?? '',
  ];
  const probe = machine.start(args, { buffer: false, stderr: 'inherit' });
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    eachLine(probe, 'stdout', (line) => {
      lines.push(line);
      resolve();
    });
    probe.catch(reject);
  });
  const attacker = machine.start([join(ROOT, 'bench/attacker.ts'), name, url], { reject: false });
  await probe;
  attacker.kill('SIGKILL');
  await attacker;
  return JSON.parse(lines.at(-1) ?? '') as Probe[];
}

function sorted(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => a - b);
}

/** The number with this share of the others below it, as text. */
function at(numbers: readonly number[], share: number): string {
  return (numbers[Math.floor(share * (numbers.length - 1))] ?? Number.NaN).toFixed(1);
}

async function statusOfStream({ url, env }: Service): Promise<number> {
  const agent = new Agent();
  const headers = { authorization: `Bearer ${env['SKINSMITH_API_KEY'] ?? ''}` };
  const { statusCode } = await request(`${url}/v2/queue/events`, { dispatcher: agent, headers });
  await agent.destroy();
  return statusCode;
}
