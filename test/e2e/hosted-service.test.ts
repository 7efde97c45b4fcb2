import { describe, expect, test } from 'vitest';
import type { HostedOptions } from '../../src/double/hosted/options.ts';
import { ABSENT } from '../../src/double/replies.ts';
import { hostedWorkshop, lines, requestsIn } from '../support/program/batches.ts';
import { sampled } from '../support/setup/extent.ts';

/** A service with a rate, as a paying user of the hosted one has it, and three skins of the user's. */
async function withSkins(options: HostedOptions = {}) {
  const { shop, service } = await hostedWorkshop({
    serviceTime: 0,
    rate: { limit: 60 },
    spread: false,
    ...options,
  });
  await shop.drawMany('skins', 3);
  const { exitCode, stderr } = await shop.run('generate', 'skins', '--out', 'out');
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^3 sources: 3 made/m)]);
  return { shop, service, locked: await shop.lock() };
}

/** What answers may leave out or send otherwise: everything but ids, statuses, values and signatures. */
const ODD: HostedOptions = {
  alter: {
    me: { user: null, grants: { per_minute: '60', concurrency: null, plan: 7 } },
    delay: { rateLimit: { next: null, delay: ABSENT } },
    submit: { job: { eta: 'soon' }, rateLimit: { limit: { hour: null } } },
    list: { jobs: { eta: null, timestamp: '2026-02-03T10:12:34Z' } },
    job: { job: { timestamp: 1_770_113_554 }, skin: { name: null, tags: null, generator: null, views: '3' } },
    skin: { skin: { variant: ABSENT, visibility: null, texture: { hash: ABSENT, url: ABSENT } } },
    'own-skins': { skins: { name: null, timestamp: '2026-02-03T10:12:34Z' }, links: ABSENT },
  },
};

const SERVICES = [
  ['the hosted service', {}],
  ['a service whose answers are odd', ODD],
] as const;

// Commands of other tests have the first.
describe.each(sampled(SERVICES, 2, 1))('Against %s', (_, options) => {
  test('whoami shows the user and the limits left', async () => {
    const { shop, service } = await withSkins(options);
    const { exitCode, stdout, stderr } = await shop.run('whoami', '--json');
    expect([exitCode, stderr]).toEqual([0, '']);
    const view = JSON.parse(stdout);
    expect(view).toMatchObject({
      limits: { perMinute: 60 },
      used: { queue: 0, minute: 3 },
      left: { minute: 57 },
    });
    expect([view.service, 'hour' in view.left]).toEqual([service.url, false]);
  });

  test('doctor finds nothing wrong with the service', async () => {
    const { shop } = await withSkins(options);
    const { stdout, stderr } = await shop.run('doctor', '--json');
    const checks = JSON.parse(stdout) as { check: string; result: string; detail: string }[];
    const bad = checks.filter(({ result }) => result === 'problem');
    expect([bad, stderr]).toEqual([[], expect.stringContaining('Problems: 0')]);
    const detail = (name: string) => checks.find(({ check }) => check === name)?.detail;
    expect(detail('limits')).toContain('57 of 60 skins left this minute');
    expect(detail('textures')).toContain('can be fetched');
  });

  test('skins list lists the user’s skins, skins get prints one', async () => {
    const { shop, locked } = await withSkins(options);
    const listed = await shop.run('skins', 'list');
    expect([listed.exitCode, listed.stderr]).toEqual([0, '']);
    expect(
      lines(listed.stdout)
        .map((row) => row.split('\t')[0])
        .sort(),
    ).toEqual(locked.map(({ uuid }) => uuid).sort());
    const { uuid, value, signature } = locked[0]!;
    const { exitCode, stdout } = await shop.run('skins', 'get', uuid, '--json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        uuid,
        variant: 'classic',
        ...{ value, signature },
        texture: { url: expect.stringMatching(/^http/) },
      },
    ]);
  });

  test('queue, status and jobs follow a job', async () => {
    const { shop, locked } = await withSkins({ ...options, serviceTime: 300 });
    await shop.draw({ new: 9 });
    const queued = await shop.run('queue', 'new.png', '--json');
    const { job, status } = JSON.parse(queued.stdout) as { job: string; status: string };
    expect([queued.exitCode, status]).toEqual([0, 'waiting']);
    const ended = await shop.run('status', '--wait', '--json', job);
    expect([ended.exitCode, JSON.parse(ended.stdout)]).toMatchObject([0, { job, status: 'completed' }]);
    const jobs = await shop.run('jobs', '--json');
    expect([jobs.exitCode, (JSON.parse(jobs.stdout) as unknown[]).length]).toEqual([0, locked.length + 1]);
    expect(jobs.stdout).toContain(`"${job}"`);
  });

  test('--dry-run plans and sends nothing', async () => {
    const { shop, service } = await withSkins(options);
    await shop.drawMany('more', 2, 10);
    const before = service.records.requests.submit;
    const { exitCode, stdout, stderr } = await shop.run('generate', 'more', '--out', 'made', '--dry-run');
    expect([exitCode, stdout]).toEqual([3, expect.stringMatching(/^more\/01\.png\tnew/)]);
    expect(stderr).toMatch(/^2 sources: 2 new\./m);
    expect(service.records.requests.submit).toBe(before);
  });

  test('a single generate makes its skin', async () => {
    const { shop } = await withSkins(options);
    await shop.draw({ new: 9 });
    const { exitCode, stdout, stderr } = await shop.run('generate', 'new.png', '--json');
    // The imitation has a key of its own, which it does not tell.
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^warning: Unknown signer: .*\n$/m)]);
    expect(stdout).toContain('"signature"');
  });

  test('login stores a valid key', async () => {
    const { shop, service } = await withSkins(options);
    const child = shop.start(['login', '-', '--base-url', service.url], {
      input: `${service.key}\n`,
    });
    const { exitCode, stderr } = await child;
    expect([exitCode, String(stderr)]).toEqual([0, expect.not.stringContaining('error:')]);
  });
});

test('--verbose says which fields were ignored', async () => {
  const { shop } = await hostedWorkshop({
    alter: { me: { grants: { plan: 7 } }, list: { jobs: { timestamp: 'noon' } } },
  });
  const { exitCode, stderr } = await shop.run('whoami', '--verbose');
  expect([exitCode, requestsIn(stderr)[0]]).toEqual([0, 'GET /v2/me']);
  expect(stderr).toMatch(/^ {2}ignored: grants\.plan: .*expected string/m);
});
