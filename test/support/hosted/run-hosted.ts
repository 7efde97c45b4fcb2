import { onTestFinished } from 'vitest';
import type { RequestKind } from '../../../src/double/requests.ts';
import { skinPng } from '../server/drawn-skins.ts';
import { poll } from '../server/poll.ts';
import { type Heard, TestCaller } from '../server/test-caller.ts';
import { HostedService, type ServiceOptions } from './hosted-service.ts';

/** The hosted-like service, closed when the test ends. */
export async function runHosted(options: ServiceOptions = {}): Promise<HostedService> {
  const service = await HostedService.start(options);
  onTestFinished(async () => await service.close());
  return service;
}

/** The same with someone who calls it with its key. */
export async function callHosted(
  options: ServiceOptions = {},
): Promise<{ service: HostedService; caller: TestCaller }> {
  const service = await runHosted(options);
  return { service, caller: new TestCaller(service.url, { key: service.key, isOurs: false }) };
}

/** Queues the skin of a number. */
export async function submit(caller: TestCaller, number: number): Promise<Heard> {
  return await caller.upload('/v2/queue', skinPng(number));
}

/** Waits until the service has accepted this many submissions. */
export async function whenAccepted({ records }: HostedService, count: number): Promise<void> {
  await poll(
    () => records.accepted.length,
    (accepted) => accepted >= count,
  );
}

/** Waits until the service has received this many requests of a kind. */
export async function whenRequested(
  { records }: HostedService,
  kind: RequestKind,
  count: number,
): Promise<void> {
  await poll(
    () => records.requests[kind] ?? 0,
    (requests) => requests >= count,
  );
}

/** The job that a submission was answered with, once it has ended. */
export async function ended(caller: TestCaller, { body }: Pick<Heard, 'body'>): Promise<Heard> {
  return await poll(
    () => caller.get(`/v2/queue/${body.job?.id}`),
    (heard) => !['waiting', 'processing'].includes(heard.body.job?.status ?? ''),
  );
}
