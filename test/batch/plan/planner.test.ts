import { expect, test } from 'vitest';
import type { BatchSource } from '../../../src/batch/model/source.ts';
import type { Work } from '../../../src/batch/model/work.ts';
import type { Planned } from '../../../src/batch/plan/decision.ts';
import type { GivenSkins } from '../../../src/batch/plan/given-skins.ts';
import { OutputNames } from '../../../src/batch/plan/output-names.ts';
import { Planner } from '../../../src/batch/plan/planner.ts';
import type { SignerRule } from '../../../src/batch/plan/signer-rule.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';

function makePlanner(): Planner {
  return new Planner({
    variant: 'auto',
    visibility: undefined,
    cape: undefined,
    submits: true,
    force: false,
    lockDir: '/',
    lockfile: undefined,
    journal: undefined,
    memory: undefined,
    names: new OutputNames(),
    signers: { applies: false } as SignerRule,
    given: {} as GivenSkins,
    findSkin: undefined,
  });
}

function picture(number: number): BatchSource {
  return { label: `${number}`, stem: 'skin', content: { kind: 'bytes', bytes: skinPng(number) } };
}

async function plan(planner: Planner, ...sources: BatchSource[]): Promise<Planned[]> {
  const all = (async function* () {
    yield* sources;
  })();
  const planned: Planned[] = [];
  for await (const one of planner.plan(all, new AbortController().signal)) planned.push(one);
  return planned;
}

function workOf({ decision }: Planned): Work | undefined {
  return 'work' in decision ? decision.work : undefined;
}

test('A duplicate joins the work that it waits for, until that is settled', async () => {
  const planner = makePlanner();
  const [first, again] = await plan(planner, picture(1), picture(1));
  const work = workOf(first!)!;
  expect(workOf(again!)).toBe(work);
  expect(work.members.map(({ index }) => index)).toEqual([0, 1]);
  planner.settled(work);
  const [later] = await plan(planner, picture(1));
  expect(later?.decision.kind).toBe('new');
  expect(workOf(later!)).not.toBe(work);
  expect(later?.member.index).toBe(2);
});

test('The picture of work is kept until it was sent', async () => {
  const planner = makePlanner();
  const [planned] = await plan(planner, picture(1));
  const work = workOf(planned!)!;
  expect(work.bytes).toEqual(skinPng(1));
  planner.sent(work);
  expect(work.bytes).toBeUndefined();
});

test('Each source has an output name of its own', async () => {
  const planned = await plan(makePlanner(), picture(1), picture(2), picture(1));
  expect(new Set(planned.map(({ member }) => member.stem)).size).toBe(3);
});
