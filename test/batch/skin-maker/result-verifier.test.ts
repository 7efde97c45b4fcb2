import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Journal } from '../../../src/batch/journal.ts';
import type { SourceProblem, Work } from '../../../src/batch/model.ts';
import {
  type MadeSkin,
  problemOf,
  ResultVerifier,
  type ResultVerifierOptions,
} from '../../../src/batch/skin-maker/result-verifier.ts';
import { NetworkError, ServiceError } from '../../../src/client/errors.ts';
import type { JobAnswer } from '../../../src/client/types.ts';
import { ProofError } from '../../../src/dispatch/proof.ts';
import type { ReceivedSkin } from '../../../src/protocol/skin.ts';
import { keyOf } from '../../support/batch/journal-records.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const SERVICE = 'https://skins.example';
const NOTE = { code: 'no_hat', message: 'The hat is empty.' };

const SKIN = {
  uuid: 'ab'.repeat(16),
  variant: 'classic',
  visibility: 'public',
  texture: {
    data: { value: 'v', signature: 's' },
    url: { skin: 'https://t.example/1' },
    hash: { skin: '1' },
  },
} as ReceivedSkin;

type Told =
  | [what: 'done', made: MadeSkin]
  | [what: 'failed', SourceProblem, job?: string]
  | [what: 'again', string];

/** A finisher with a journal of its own. `proofs`: what each proof comes to, one after the other. */
async function prepare(
  over: Partial<ResultVerifierOptions> = {},
  { proofs = [], found }: { proofs?: readonly unknown[]; found?: ReceivedSkin } = {},
) {
  const journal = Journal.open(join(await ownFolder(), 'batch.ndjson'));
  onTestFinished(() => journal.close());
  const told: Told[] = [];
  const tasks: Promise<void>[] = [];
  const left = [...proofs];
  const prove = async () => {
    const next = left.shift() ?? { signer: SERVICE, key: 'ab' };
    if (next instanceof Error) throw next;
    return next;
  };
  const finisher = new ResultVerifier({
    session: {
      newestJobTime: 5,
      client: { skin: async () => found },
      call: () => ({}),
      track: (task: Promise<void>) => void tasks.push(task),
    },
    reader: { awaited: async (request: () => Promise<unknown>) => await request() },
    prover: { prove, signedBy: () => ({ signer: 'unproved' }) },
    journal,
    retries: 1,
    service: SERVICE,
    signal: new AbortController().signal,
    acceptUnverified: false,
    onDone: async (_work: Work, made: MadeSkin) => void told.push(['done', made]),
    onFailed: async (_work: Work, problem: SourceProblem, job?: string) =>
      void told.push(['failed', problem, job]),
    onAgain: (_work: Work, why: string) => void told.push(['again', why]),
    ...over,
  } as unknown as ResultVerifierOptions);
  return { finisher, journal, told, tasks };
}

function workOf(attempt = 0): Work {
  return { key: keyOf(1), attempt, warnings: [NOTE], members: [] } as unknown as Work;
}

/** A job that ended with this status. */
function ended(status: 'completed' | 'failed', over: Partial<JobAnswer> = {}, result?: string): JobAnswer {
  const job = { id: 'j1', status, ...(result !== undefined && { result }) };
  return { job, warnings: [], errors: [], ...over } as unknown as JobAnswer;
}

function serviceError(status: number, code = 'some_code'): ServiceError {
  const errors = [{ code, message: 'No.' }];
  return new ServiceError({
    method: 'GET',
    path: '/v2/skins/1',
    status,
    errors,
    links: {},
    rateLimit: undefined,
    retryAfter: undefined,
  });
}

describe('A job that is completed', () => {
  test('becomes a result with its signer and all notes, and is in the journal before it is reported', async () => {
    const { finisher, journal, told } = await prepare();
    await finisher.settle(
      workOf(),
      ended('completed', { skin: SKIN, warnings: [{ code: 'b', message: 'B.' }] }),
    );
    const warnings = [NOTE, { code: 'b', message: 'B.' }];
    expect(told).toMatchObject([
      ['done', { job: 'j1', warnings, skin: { uuid: SKIN.uuid, signedBy: { signer: SERVICE, key: 'ab' } } }],
    ]);
    expect(journal.readDone(keyOf(1))).toMatchObject({
      j: 'j1',
      w: warnings,
      service: SERVICE,
      signer: SERVICE,
      key: 'ab',
    });
  });

  test('with an unknown signer gets a warning', async () => {
    const { finisher, journal, told } = await prepare({}, { proofs: [{ signer: 'unproved' }] });
    await finisher.settle(workOf(), ended('completed', { skin: SKIN }));
    const warnings = [NOTE, expect.objectContaining({ code: 'signature_unproved' })];
    expect(told).toMatchObject([['done', { warnings }]]);
    expect(journal.readDone(keyOf(1))).not.toHaveProperty('key');
  });

  test('without its skin becomes a result if the service has the skin, or else is left to the next run', async () => {
    const found = await prepare({}, { found: SKIN });
    await found.finisher.settle(workOf(), ended('completed', {}, SKIN.uuid));
    expect(found.told).toMatchObject([['done', { job: 'j1' }]]);
    for (const result of [SKIN.uuid, undefined]) {
      const lost = await prepare();
      await lost.finisher.attempt(workOf(), 'j1', async () => {
        await lost.finisher.settle(workOf(), ended('completed', {}, result));
      });
      expect(lost.told).toMatchObject([['failed', { code: 'missing_result' }, 'j1']]);
      expect(lost.journal.stateOf(keyOf(1))).toBeUndefined();
    }
  });

  test('without its skin is made again with --resubmit-lost', async () => {
    const lost = await prepare({ resubmitLost: true });
    await lost.finisher.settle(workOf(), ended('completed', {}, SKIN.uuid));
    expect(lost.told).toEqual([['again', expect.stringContaining('has forgotten the skin')]]);
  });
});

describe('A job that the service has forgotten', () => {
  test('is a result if the service has its skin', async () => {
    const { finisher, told } = await prepare({}, { found: SKIN });
    await finisher.settleForgotten(workOf(), 'j1', SKIN.uuid);
    expect(told).toMatchObject([['done', { job: 'j1', warnings: [NOTE] }]]);
  });

  test('fails without a record in the journal, so that the next run asks for it', async () => {
    const { finisher, journal, told } = await prepare();
    journal.accepted(keyOf(1), 0, 'j1');
    await finisher.attempt(workOf(), 'j1', async () => {
      await finisher.settleForgotten(workOf(), 'j1', undefined);
    });
    expect(told).toMatchObject([
      ['failed', { code: 'job_missing', hint: expect.stringContaining('--resubmit-lost') }, 'j1'],
    ]);
    expect(journal.stateOf(keyOf(1))).toMatchObject({ step: 'job', job: 'j1' });
  });

  test('is not found by its id if another job now has that id', async () => {
    const { finisher, journal, told } = await prepare();
    journal.accepted(keyOf(1), 0, 'j1');
    await finisher.attempt(workOf(), 'j1', async () => {
      await finisher.settleForgotten(workOf(), undefined, undefined);
    });
    expect(told).toMatchObject([['failed', { code: 'job_missing' }, 'j1']]);
    expect(journal.stateOf(keyOf(1))).toMatchObject({ step: 'intent', isLost: true });
  });

  test('is made again if the user agrees, as often as any other job, then given up', async () => {
    const { finisher, journal, told, tasks } = await prepare({ resubmitLost: true });
    const work = workOf();
    await finisher.settleForgotten(work, 'j1', undefined);
    await finisher.settleForgotten(work, 'j2', undefined);
    await Promise.all(tasks);
    const message = 'The service has forgotten the job.';
    expect(told).toEqual([
      ['again', `${message} It is submitted again and may be paid for twice.`],
      ['failed', { code: 'job_not_found', message }, undefined],
    ]);
    expect([work.attempt, journal.stateOf(keyOf(1))?.step]).toEqual([1, 'failed']);
  });
});

describe('A job that failed', () => {
  const failed = (code: string) => ended('failed', { errors: [{ code, message: 'It failed.' }] });

  test('for a passing reason is made again as often as asked, then given up', async () => {
    const { finisher, journal, told } = await prepare();
    const work = workOf();
    await finisher.settle(work, failed('generator_timeout'));
    expect([told.at(-1)?.[0], work.attempt, journal.stateOf(keyOf(1))]).toEqual(['again', 1, undefined]);
    await finisher.settle(work, failed('generator_timeout'));
    expect(told.at(-1)).toMatchObject(['failed', { code: 'generator_timeout' }, 'j1']);
    expect(journal.stateOf(keyOf(1))).toMatchObject({ step: 'failed', record: { j: 'j1' } });
  });

  test('for any other reason is given up at once', async () => {
    const { finisher, told } = await prepare();
    await finisher.settle(workOf(), failed('invalid_image'));
    expect(told).toMatchObject([['failed', { code: 'invalid_image' }, 'j1']]);
  });

  test.each([
    [500, 'some_code', 'again'],
    [499, 'some_code', 'failed'],
    [500, 'invalid_image', 'failed'],
  ])('to start, by an answer %i with %s, is %s', async (status, code, what) => {
    const { finisher, told } = await prepare();
    await finisher.fail(workOf(), serviceError(status, code));
    expect(told.map(([one]) => one)).toEqual([what]);
  });
});

describe('A result that differs from the request', () => {
  const completed = ended('completed', { skin: SKIN });
  const wrong = () => new ProofError('wrong_skin', 'Another picture.');

  test('fails, but is kept and checked again by the next run', async () => {
    const { finisher, journal, told } = await prepare({}, { proofs: [wrong()] });
    await finisher.settle(workOf(), completed);
    expect(told).toMatchObject([
      ['failed', { code: 'wrong_skin', hint: expect.stringContaining('--accept-unverified') }, 'j1'],
    ]);
    expect(journal.readUnverified(keyOf(1))).toMatchObject({ code: 'wrong_skin', j: 'j1', w: [NOTE] });
    await finisher.proveAgain(workOf());
    expect(told.at(-1)).toMatchObject(['done', { job: 'j1', warnings: [NOTE] }]);
  });

  test('is a result with a note where that is accepted', async () => {
    const { finisher, told } = await prepare({ acceptUnverified: true }, { proofs: [wrong()] });
    await finisher.settle(workOf(), completed);
    const warnings = expect.arrayContaining([{ code: 'unverified', message: 'Another picture.' }]);
    expect(told).toMatchObject([['done', { warnings, skin: { signedBy: { signer: 'unproved' } } }]]);
  });

  test.each([true, false])(
    'cannot be used if it is not skin data, accepted or not: %s',
    async (acceptUnverified) => {
      const proofs = [new ProofError('invalid_skin_data', 'Not base64.')];
      const { finisher, journal, told } = await prepare({ acceptUnverified }, { proofs });
      await finisher.settle(workOf(), completed);
      expect(told).toMatchObject([['failed', { code: 'invalid_skin_data' }, 'j1']]);
      expect(journal.stateOf(keyOf(1))?.step).toBe('failed');
    },
  );

  test('is checked again while its signer is unknown', async () => {
    const unverified = new ProofError('unverified', "The game's keys cannot be fetched.");
    const { finisher, journal, told } = await prepare({}, { proofs: [unverified] });
    await expect(finisher.settle(workOf(), completed)).rejects.toBe(unverified);
    expect([told, journal.stateOf(keyOf(1))]).toEqual([[], undefined]);
  });
});

describe('A step that throws', () => {
  const error = serviceError(400);
  const throwing = (one: unknown) => async () => await Promise.reject(one);

  test('fails only its own work, without a record, so that the next run asks again', async () => {
    const { finisher, journal, told } = await prepare();
    await finisher.attempt(workOf(), 'j1', throwing(error));
    expect(told).toEqual([['failed', { code: 'some_code', message: 'No.' }, 'j1']]);
    expect(journal.stateOf(keyOf(1))).toBeUndefined();
  });

  test('ends the batch if all work would fail the same way, or if the batch is interrupted', async () => {
    const bug = new TypeError('x is undefined');
    const { finisher, told } = await prepare();
    await expect(finisher.attempt(workOf(), 'j1', throwing(bug))).rejects.toBe(bug);
    const interrupted = await prepare({ signal: AbortSignal.abort() });
    await expect(interrupted.finisher.attempt(workOf(), 'j1', throwing(error))).rejects.toBe(error);
    expect([told, interrupted.told]).toEqual([[], []]);
  });
});

test('A failure is a problem with code, message and hint, whatever was thrown', () => {
  const network = new NetworkError('It does not answer.', { cause: undefined, mayHaveArrived: true });
  expect(problemOf(network)).toEqual({ code: 'unreachable', message: 'It does not answer.' });
  expect(problemOf(new Error('Odd.'))).toEqual({ code: 'failed', message: 'Odd.' });
  expect(problemOf(serviceError(400, 'address_refused')).hint).toContain('--fetch-locally');
  expect(problemOf({ code: 'a', message: 'b', hint: 'c' })).toEqual({ code: 'a', message: 'b', hint: 'c' });
});
