import type { BatchSource, Work } from '../../../src/batch/model.ts';
import { OutputNames } from '../../../src/batch/names.ts';
import { type Planned, Planner, type PlannerOptions } from '../../../src/batch/run/planner.ts';
import type { SignerRule } from '../../../src/batch/signers.ts';
import type { SuppliedSkins } from '../../../src/batch/sources/supplied-skin.ts';
import { skinPng } from '../server/drawn-skins.ts';

/** A planner of a batch that knows nothing. */
export function makePlanner(options: Partial<PlannerOptions> = {}): Planner {
  return new Planner({
    variant: 'auto',
    visibility: undefined,
    cape: undefined,
    submits: true,
    force: false,
    lockDir: '/',
    lockfile: undefined,
    journal: undefined,
    digests: undefined,
    names: new OutputNames(),
    signers: { applies: false } as SignerRule,
    given: {} as SuppliedSkins,
    bedrock: undefined,
    findSkin: undefined,
    ...options,
  });
}

export function picture(number: number): BatchSource {
  return { label: `${number}`, stem: 'skin', content: { kind: 'bytes', bytes: skinPng(number) } };
}

export function skinOf(uuid: string): BatchSource {
  return { label: uuid, stem: uuid, content: { kind: 'uuid', uuid } };
}

export async function plan(planner: Planner, ...sources: BatchSource[]): Promise<Planned[]> {
  const planned: Planned[] = [];
  for await (const one of planner.plan(streamOf(sources), new AbortController().signal)) planned.push(one);
  return planned;
}

export async function* streamOf(sources: readonly BatchSource[], lastAfter?: Promise<void>) {
  for (const source of sources) {
    if (source === sources.at(-1)) await lastAfter;
    yield source;
  }
}

export function workOf({ decision }: Planned): Work | undefined {
  return 'work' in decision ? decision.work : undefined;
}
