import { expect, test } from 'vitest';
import type { Journal } from '../../../src/batch/journal.ts';
import type { FinishedSkin, Member } from '../../../src/batch/model.ts';
import { failedResult, givenResult, journaledResult, madeResult } from '../../../src/batch/run/results.ts';
import { recordOf } from '../../support/batch/journal-records.ts';

const { skin } = recordOf(1) as { skin: FinishedSkin };
const NOTE = { code: 'no_hat', message: 'The hat is empty.' };

function member(name?: string): Member {
  const content = { kind: 'user', user: 'ann' } as const;
  const source = { label: 'ann', stem: 'ann', content, ...(name !== undefined && { name }) };
  return { index: 7, source, stem: 'players/ann', id: 'user:ann', pixels: undefined };
}

const ABOUT = { index: 7, source: 'ann', stem: 'players/ann', content: { kind: 'user', user: 'ann' } };

test('A result names its source, and has the notes on its picture', () => {
  const made = { skin, job: 'a job', warnings: [NOTE] };
  expect(madeResult(member(), made, 'made')).toEqual({
    ...ABOUT,
    skin: { ...skin, name: 'ann' },
    version: skin.uuid,
    job: 'a job',
    warnings: [NOTE],
    origin: 'made',
  });
  expect(givenResult(member(), { skin, warnings: [] })).toMatchObject({ ...ABOUT, skin, origin: 'given' });
});

test.each([
  ['made for it', 'Bob', 'Ann', {}, 'made', undefined],
  [
    'that the service had under another name',
    'Bob',
    'Ann',
    { duplicate: true },
    'made',
    'The service already has this skin, named "Ann"',
  ],
  ['that the service had under this name', 'Ann', 'Ann', { duplicate: true }, 'made', undefined],
  [
    'that the service had without a name',
    'Bob',
    undefined,
    { duplicate: true },
    'made',
    'already has this skin, without a name',
  ],
  ['of another source', 'Bob', 'Ann', {}, 'repeated', 'Another source has the same picture, named "Ann"'],
  ['of another source, without a name of its own', undefined, 'Ann', {}, 'repeated', undefined],
] as const)('A name that a skin %s did not get is reported', (_, wanted, name, over, origin, message) => {
  const { name: __, duplicate: ___, ...rest } = skin;
  const made = {
    skin: { ...rest, ...(name !== undefined && { name }), ...over },
    job: undefined,
    warnings: [NOTE],
  };
  const { warnings } = madeResult(member(wanted), made, origin);
  const told = { code: 'name_not_used', message: expect.stringContaining(message ?? '') };
  expect(warnings).toEqual(message === undefined ? [NOTE] : [NOTE, told]);
});

test.each([
  ['a signer', { signer: 'https://api.example', key: 'ab' }, { signer: 'https://api.example', key: 'ab' }],
  ['no signer', {}, undefined],
])('A result in the journal with %s is read once, and only when it is used', (_, signer, signedBy) => {
  let reads = 0;
  const journal = {
    readDone: () => {
      reads++;
      return { s: 'done', k: 'k', j: 'a job', skin, w: [NOTE], service: 'https://api.example', ...signer };
    },
  } as unknown as Journal;
  const result = journaledResult(member(), journal, 'k', 'journal');
  expect(result).toMatchObject(ABOUT);
  expect([result.origin, reads]).toEqual(['journal', 0]);
  expect([result.skin?.signedBy, result.job, result.version]).toEqual([signedBy, 'a job', skin.uuid]);
  expect([result.warnings, reads]).toEqual([[NOTE], 1]);
});

test('A failure has its reason, and its job if there was one', () => {
  const error = { code: 'job_failed', message: 'No skin.' };
  expect(failedResult(member(), error)).toEqual({ ...ABOUT, error, warnings: [] });
  expect(failedResult(member(), error, 'a job')).toMatchObject({ job: 'a job' });
});

test('The version of a result changes with its UUID and with the name in its output', () => {
  const made = (uuid: string, name?: string) =>
    madeResult(member(name), { skin: { ...skin, uuid }, job: undefined, warnings: [] }, 'made').version;
  expect([made('a'), made('a', 'Ann'), made('a', 'Bob'), made('b', 'Ann')]).toEqual([
    'a',
    'a Ann',
    'a Bob',
    'b Ann',
  ]);
});
