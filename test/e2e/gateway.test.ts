import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HostedService } from '../support/hosted/hosted-service.ts';
import { runHosted } from '../support/hosted/run-hosted.ts';
import { freshMachine, type Machine, type Serving } from '../support/program/program.ts';
import { numbers, PLANS, push, skins } from '../support/server/gateway.ts';

/** A machine whose services have their skins made by another. */
async function gatewayMachine({ key }: Pick<HostedService, 'key'>): Promise<Machine> {
  const machine = await freshMachine();
  await writeFile(join(machine.dataDir, 'plans.json'), JSON.stringify(PLANS));
  machine.env['SKINSMITH_UPSTREAM_KEY'] = key;
  return machine;
}

const toward = ({ url }: Pick<HostedService, 'url'>) => ['--generator', 'upstream', '--upstream', url];

/** Kills a gateway at a moment of the submission after so many were accepted. */
async function killedAt(
  { process }: Serving,
  hosted: HostedService,
  moment: 'arrived' | 'processed',
  accepted: number,
): Promise<void> {
  const stop = hosted.watch((now, kind) => {
    if (now === moment && kind === 'submit' && hosted.records.accepted.length >= accepted)
      process.kill('SIGKILL');
  });
  expect((await process).signal).toBe('SIGKILL');
  stop();
}

test('A gateway that is killed continues where it was, and submits nothing twice', async () => {
  const hosted = await runHosted({ serviceTime: 50 });
  const machine = await gatewayMachine(hosted);
  const first = await machine.serve(toward(hosted));
  const dead = killedAt(first, hosted, 'processed', 8);
  await push(first.caller(), numbers(0, 24)).catch(() => {}); // it is killed in the middle of them
  await dead;
  const second = await machine.serve(toward(hosted), first.key);
  const deadAgain = killedAt(second, hosted, 'arrived', 15);
  await push(second.caller(), numbers(0, 24)).catch(() => {});
  await deadAgain;
  const third = await machine.serve(toward(hosted), first.key);
  await push(third.caller(), numbers(0, 24));
  await skins(machine.dataDir, 24);
  const { accepted, mostUnfinished, doubleSubmissions } = hosted.records;
  expect(new Set(accepted.map(({ pixels }) => pixels)).size).toBe(24);
  expect({ doubleSubmissions, submitted: accepted.length }).toEqual({ doubleSubmissions: [], submitted: 24 });
  expect(mostUnfinished).toBeLessThanOrEqual(5);
  const { stdout, stderr, exitCode } = await third.end('SIGTERM');
  expect([exitCode, stdout.includes(hosted.key), stderr.includes(hosted.key)]).toEqual([0, false, false]);
});

test('A key that the other service refuses is reported at the start, with status 4', async () => {
  const hosted = await runHosted();
  const machine = await gatewayMachine({ key: 'wrong'.repeat(20) });
  const { exitCode, stderr } = await machine.run(['serve', '--port', '0', ...toward(hosted)]);
  expect(exitCode).toBe(4);
  expect(stderr).toContain(`${hosted.url} does not accept the configured key`);
  expect(stderr).not.toContain('wrongwrong');
});
