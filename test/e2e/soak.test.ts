import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFailed, test } from 'vitest';
import { seededRandom } from '../../src/double/seed.ts';
import { decodePng } from '../../src/skin/png/decode.ts';
import { pixelHash } from '../../src/skin/read-skin.ts';
import { parseTexturesValue } from '../../src/textures/property.ts';
import { killAgainAndAgain } from '../support/hosted/killing.ts';
import { type DrawnSource, drawSources } from '../support/hosted/many-sources.ts';
import { runHosted } from '../support/hosted/run-hosted.ts';
import { freshMachine } from '../support/program/program.ts';
import { isWhole } from '../support/setup/whole-run.ts';

/** Another one is tried with SOAK_SEED=<number>, more of it with SOAK_KILLS=<number>; .ci/run kills six times. */
const SEED = Number(process.env['SOAK_SEED'] ?? 20_251_121);
const KILLS = Number(process.env['SOAK_KILLS'] ?? (isWhole ? 2 : 1));
/** Otherwise dispatch/job-tracker has jobs that are forgotten, in memory, where nobody waits. */
const isBrief = !isWhole && process.env['SOAK_KILLS'] === undefined;
/** Enough for each of the stories that drawSources deals, and some in which nothing happens. */
const COUNT = 24 + 6 * KILLS;

/** How a source ended: what was printed of it, and whose picture its output file shows. */
interface Ending {
  readonly source: string;
  /** Code of its error, or the status. */
  readonly told: string;
  /** Pixel hash of the texture that the file's value names; undefined: there is no file. */
  readonly written: string | undefined;
}

interface ResultLine {
  readonly source: string;
  readonly status: string;
  readonly error?: { readonly code: string };
}

test('A batch that is killed again and again finishes every source correctly, and submits nothing twice', async () => {
  const machine = await freshMachine();
  const folder = join(machine.folder, 'skins');
  const out = join(machine.folder, 'out');
  const { sources, fate } = await drawSources(folder, { count: COUNT, seed: SEED, isBrief });
  const random = seededRandom(SEED);
  const service = await runHosted({
    fate,
    serviceTime,
    eta: 15,
    latency: () => random(15),
    slack: 1,
    faults: { seed: SEED, share: 0.05 },
  });
  onTestFailed(() => {
    const { requests, refusals, troubles } = service.records;
    process.stderr.write(
      `SOAK_SEED=${SEED} SOAK_KILLS=${KILLS} ${JSON.stringify({ requests, refusals, troubles })}\n`,
    );
  });
  const env = { SKINSMITH_API_KEY: service.key, SKINSMITH_POLL_INTERVAL: '0.2' };
  const args = [
    'generate',
    folder,
    '-r',
    '--out',
    out,
    '--ndjson',
    '--resubmit-lost',
    '--base-url',
    service.url,
  ];
  const start = () => machine.start(args, { env });
  await killAgainAndAgain(start, service, { seed: SEED, times: KILLS, submissions: COUNT });
  const { exitCode, stdout, stderr } = await start();
  service.faults = undefined;

  const lines = String(stdout).trimEnd().split('\n').map(parseLine);
  expect(lines).toHaveLength(sources.length);
  const told = new Map(lines.map(({ source, status, error }) => [source, error?.code ?? status]));
  const endings = await Promise.all(sources.map((source) => endingOf(source, out, told)));
  expect(endings.filter((ending, n) => !isRight(ending, sources[n]!))).toEqual([]);
  expect(service.doubleSubmissions).toEqual([]);
  expect(service.records.mostUnfinished).toBeLessThanOrEqual(5);
  expect([exitCode, String(stderr)]).toEqual([1, expect.not.stringMatching(/\n\s+at |This is a bug/)]);
});

/** From 20 to 60 ms, always the same for the same picture. */
function serviceTime({ input }: { input: { pixels: string } }): number {
  return 20 + (Number.parseInt(input.pixels.slice(0, 4), 16) % 41);
}

function parseLine(line: string): ResultLine {
  return JSON.parse(line) as ResultLine;
}

async function endingOf(
  { file, stem }: DrawnSource,
  out: string,
  told: ReadonlyMap<string, string>,
): Promise<Ending> {
  const output = await readIfThere(join(out, `${stem}.json`));
  const written = output === undefined ? undefined : await shownPixels(output);
  return { source: file, told: told.get(file) ?? 'nothing', written };
}

function isRight({ told, written }: Ending, { error, pixels }: DrawnSource): boolean {
  return error === undefined
    ? told === 'completed' && written === pixels
    : told === error && written === undefined;
}

/** Pixel hash of the texture that the service serves for a written skin. */
async function shownPixels(output: string): Promise<string> {
  const { value } = JSON.parse(output) as { value: string };
  const answer = await fetch(parseTexturesValue(value).skin?.url ?? '');
  return pixelHash(decodePng(new Uint8Array(await answer.arrayBuffer()), { maxBytes: 256 * 1024 }));
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
