import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HostedOptions } from '../../src/double/hosted/options.ts';
import {
  type BatchEvent,
  type BatchResult,
  type ConvertOptions,
  convert,
  SkinClient,
} from '../../src/index.ts';
import { runHosted } from '../support/hosted/run-hosted.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { ownFolder } from '../support/server/own-folder.ts';

/** A folder of skins, a service, and what a conversion of them gives. */
async function prepare(count: number, options: HostedOptions = {}) {
  const folder = await ownFolder();
  const files = Array.from({ length: count }, (_, number) => join(folder, `skin-${number}.png`));
  await Promise.all(files.map((file, number) => writeFile(file, skinPng(number))));
  const service = await runHosted(options);
  const client = new SkinClient({ baseUrl: service.url, apiKey: service.key });
  onTestFinished(async () => await client.close());
  const run = async (rest: Partial<ConvertOptions> = {}) => {
    const results: BatchResult[] = [];
    const events: BatchEvent[] = [];
    const summary = await convert({
      client,
      sources: files,
      stateDir: join(folder, 'state'),
      deliver: (result) => void results.push(result),
      onEvent: (event) => events.push(event),
      ...rest,
    });
    return { summary, results, events };
  };
  return { folder, files, service, run };
}

describe('convert', () => {
  test('makes a skin from each source and delivers it', async () => {
    const { run, service, files } = await prepare(12, { serviceTime: 500 });
    const { summary, results, events } = await run();
    expect(summary).toMatchObject({ end: 'complete', sources: 12, made: 12, failed: 0, left: 0 });
    expect(results.map(({ source }) => source).sort()).toEqual([...files].sort());
    expect(new Set(results.map(({ skin }) => skin?.value)).size).toBe(12);
    expect(service.records.accepted).toHaveLength(12);
    expect(service.records.mostUnfinished).toBeLessThanOrEqual(5);
    expect(events.filter(({ type }) => type === 'accepted')).toHaveLength(12);
    expect(events.filter(({ type }) => type === 'result')).toHaveLength(12);
  });

  test('delivers what the lockfile has, without a request', async () => {
    const { run, service, folder } = await prepare(6);
    const lockfile = join(folder, 'skins.lock');
    const first = await run({ lockfile });
    expect(first.summary.lockfile).toMatchObject({ written: true, dropped: 0 });
    const requests = { ...service.records.requests };
    const skins: unknown[] = [];
    const { summary } = await run({ lockfile, deliver: ({ skin }) => void skins.push(skin?.value) });
    expect(summary).toMatchObject({ made: 0, known: 6, end: 'complete' });
    expect(skins.sort()).toEqual(first.results.map(({ skin }) => skin?.value).sort());
    expect(service.records.requests).toEqual(requests);
    expect((await readFile(lockfile, 'utf8')).trim().split('\n')).toHaveLength(6);
  });

  test('continues after an interruption without submitting anything twice', async () => {
    const { run, service, folder } = await prepare(15, { serviceTime: 60 });
    const stop = new AbortController();
    const lockfile = join(folder, 'skins.lock');
    const stopAfterFour = ({ finished }: { finished: number }) => finished >= 4 && stop.abort();
    let finished = 0;
    const cut = await run({
      lockfile,
      signal: stop.signal,
      onEvent: ({ type }) => type === 'result' && stopAfterFour({ finished: ++finished }),
    });
    expect(cut.summary.end).toBe('interrupted');
    expect(cut.summary.left).toBeGreaterThan(0);
    const { summary } = await run({ lockfile });
    expect(summary).toMatchObject({ end: 'complete', finished: 15, failed: 0 });
    expect(service.doubleSubmissions).toEqual([]);
  });

  test('waits out limits of every kind', async () => {
    const { run, service } = await prepare(8, {
      rate: { limit: 4, window: 600 },
      flags: { blockPerMinute: true },
    });
    const { summary } = await run();
    expect(summary).toMatchObject({ made: 8, failed: 0 });
    expect(service.records.mostUnfinished).toBeLessThanOrEqual(5);
    expect(service.records.refusals['rate_limit'] ?? 0).toBeLessThanOrEqual(8);
  });

  test('uses no more slots than it has, and leaves alone the slots of other callers', async () => {
    const { run, service } = await prepare(6, { serviceTime: 50 });
    for (let other = 0; other < 3; other++) service.occupy(400);
    const { summary } = await run({ slots: 4 });
    expect(summary.made).toBe(6);
    expect(service.records.mostUnfinished).toBeLessThanOrEqual(5);
    expect(service.records.refusals).toEqual({});
  });

  test('reports why a source fails, and continues', async () => {
    const { run, files } = await prepare(4);
    await writeFile(files[1]!, 'no picture');
    const { summary, results } = await run();
    expect(summary).toMatchObject({ made: 3, failed: 1 });
    expect(results.find(({ error }) => error)).toMatchObject({
      source: files[1],
      error: { code: 'invalid_image' },
    });
  });

  test('stops before it spends more than is allowed', async () => {
    const { run, service } = await prepare(9);
    const { summary } = await run({ maxNew: 4 });
    expect(summary).toMatchObject({ end: 'stopped', made: 4 });
    expect(service.records.accepted).toHaveLength(4);
  });

  test('ends with the error that deliver throws, and delivers the result on the next run', async () => {
    const { run, service, folder } = await prepare(3);
    const lockfile = join(folder, 'skins.lock');
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    await expect(
      run({
        lockfile,
        deliver: () => {
          throw full;
        },
      }),
    ).rejects.toBe(full);
    const { summary } = await run({ lockfile });
    expect(summary).toMatchObject({ finished: 3, failed: 0 });
    expect(service.doubleSubmissions).toEqual([]);
  });

  test.each([
    ['a path', 'skins'],
    ['sources of its own making', [{ label: 'one' }]],
    ['nothing', undefined],
  ])('refuses %s in place of a list', async (_, sources) => {
    const { run, service } = await prepare(0);
    const typed = sources as unknown as ConvertOptions['sources'];
    await expect(run({ sources: typed })).rejects.toThrow(/^sources: is neither a list of strings nor/);
    expect(service.records.accepted).toEqual([]);
  });

  test('never delivers the skin of another picture', async () => {
    const { run } = await prepare(3, { fate: () => ({ kind: 'wrong', times: Number.POSITIVE_INFINITY }) });
    const { results } = await run();
    expect(results.map(({ error }) => error?.code)).toEqual(['wrong_skin', 'wrong_skin', 'wrong_skin']);
    expect(results.every(({ skin }) => skin === undefined)).toBe(true);
  });
});
