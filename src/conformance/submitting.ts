import { didNotArrive } from '../client/errors.ts';
import type { RequestContent } from '../client/transport.ts';
import { receivedMeAnswerSchema } from '../protocol/account.ts';
import { receivedEnvelopeSchema } from '../protocol/envelope.ts';
import type { ErrorCode } from '../protocol/errors.ts';
import { isPending, receivedJobListAnswerSchema } from '../protocol/job.ts';
import type { Variant } from '../skin/regions.ts';
import {
  type Answer,
  codeOf,
  contentOf,
  described,
  differs,
  expect,
  expectRefusal,
  expectStatus,
  notTried,
  shaped,
} from './finding.ts';
import { expectData } from './proof.ts';
import { JOB_ANSWER, SKIN_MADE } from './published.ts';
import type { Check, Draft, Making, Target } from './target.ts';

/** Jobs that every user may have in the queue at a time. */
const SLOTS = 5;
/** Milliseconds for POST /v2/generate, which waits for the skin. */
const GENERATING = 90_000;
/** The longest that such a request may ask for, in seconds: it waits for its turn, too. */
const LONGEST_GENERATE = 30;

/** What a submission sends, besides its name. */
interface Shape {
  readonly as: 'file' | 'data-url';
  readonly fields?: Readonly<Record<string, string>>;
  readonly isUnpaced?: boolean;
}

/** Submits a draft, unlisted unless the fields say otherwise. */
export async function submit(
  { session, making }: Target,
  draft: Draft,
  { as, fields = {}, isUnpaced }: Shape,
  path = '/v2/queue',
): Promise<Answer> {
  const all = { name: draft.name, visibility: 'unlisted', ...fields };
  const content: RequestContent =
    as === 'file'
      ? { fields: all, file: { bytes: draft.png, fileName: 'skin.png' } }
      : { json: { url: draft.dataUrl, ...all } };
  const sent = { content, isUnpaced, ...(path.includes('generate') && { timeout: GENERATING }) };
  const answer = await session.send('POST', path, sent).catch((error: unknown) => {
    draft.isLost = !didNotArrive(error);
    throw error;
  });
  return making.took(draft, answer);
}

/** An invalid submission, and how it is refused. */
interface Invalid {
  readonly id: string;
  readonly what: string;
  readonly statements?: readonly string[];
  readonly codes: readonly [ErrorCode, ...ErrorCode[]];
  readonly statuses?: readonly number[];
  /** A draft with a name of this run, in case that it is accepted after all. */
  readonly content: (draft: Draft) => RequestContent;
}

const json = (draft: Draft, fields: object): RequestContent => ({
  json: { url: draft.dataUrl, name: draft.name, visibility: 'unlisted', ...fields },
});
const form = ({ name }: Draft, bytes?: Buffer): RequestContent => ({
  fields: { name, visibility: 'unlisted' },
  file: bytes && { bytes, fileName: 'skin.png' },
});

const INVALID: readonly Invalid[] = [
  {
    id: 'submit-type',
    what: 'a body that is neither a form nor JSON',
    codes: ['invalid_content_type'],
    statuses: [415],
    content: () => ({ type: 'text/plain', text: 'a skin' }),
  },
  {
    id: 'submit-nothing',
    what: 'JSON without a url or a user',
    statements: ['1.2'],
    codes: ['invalid_request', 'validation_error'],
    content: (draft) => json(draft, { url: undefined }),
  },
  {
    id: 'submit-no-file',
    what: 'a form without a file, a url or a user',
    statements: ['1.2'],
    codes: ['missing_file', 'invalid_request'],
    content: (draft) => form(draft),
  },
  {
    id: 'submit-no-picture',
    what: 'a file that is not a picture',
    codes: ['invalid_image', 'invalid_file'],
    content: (draft) => form(draft, Buffer.from('This is not a picture.')),
  },
  {
    id: 'submit-long-file',
    what: 'a file of more than 20,000 bytes',
    codes: ['invalid_file', 'invalid_image'],
    statuses: [400, 413],
    content: (draft) => form(draft, Buffer.alloc(30_000)),
  },
  {
    id: 'submit-url',
    what: 'text that is not an address as its url',
    statements: ['1.2'],
    codes: ['invalid_image_url', 'validation_error'],
    content: (draft) => json(draft, { url: 'no-address' }),
  },
  {
    id: 'submit-user',
    what: 'a user that is no player',
    statements: ['1.2'],
    codes: ['invalid_user', 'validation_error'],
    content: (draft) => json(draft, { url: undefined, user: 'no-player' }),
  },
  {
    id: 'submit-variant',
    what: 'a model name of version 1 in place of a variant',
    statements: ['2.9', '9.3c'],
    codes: ['unknown_variant', 'validation_error'],
    content: (draft) => json(draft, { variant: 'steve' }),
  },
  {
    id: 'submit-visibility',
    what: 'a number of version 1 in place of a visibility',
    statements: ['2.7', '9.3b'],
    codes: ['validation_error'],
    content: (draft) => json(draft, { visibility: 1 }),
  },
  {
    id: 'submit-name',
    what: 'a name with characters that names must not have',
    codes: ['validation_error'],
    content: (draft) => json(draft, { name: `${draft.name}<b>` }),
  },
];

/** Submissions that must be refused: none makes a skin, unless the server is at fault. */
export const REFUSALS: readonly Check[] = INVALID.map(
  ({ id, what, statements = [], codes, statuses = [400], content }) => ({
    id,
    judges: `POST /v2/queue with ${what} is refused with ${codes.join(' or ')}.`,
    statements: ['7.3', ...statements],
    codes,
    run: async ({ session, making }) => {
      const draft = making.spare();
      const answer = await session.send('POST', '/v2/queue', { content: content(draft) });
      if (answer.status < 300) making.keep(draft, answer);
      expectRefusal(answer, statuses, ...codes);
    },
  }),
);

/** The submissions of a run. They come at once, so that the queue is full even where jobs take no time. */
const BURST: readonly (Shape & { readonly drawn: Variant })[] = [
  { as: 'file', drawn: 'slim', fields: { variant: 'slim' } },
  { as: 'data-url', drawn: 'slim' },
  { as: 'file', drawn: 'classic' },
  { as: 'data-url', drawn: 'classic' },
  { as: 'file', drawn: 'classic' },
];

/** The skins of the run: submitted at once, as many as the queue takes, and waited for. */
export const SUBMITTING: readonly Check[] = [
  {
    id: 'queue-file',
    judges: 'POST /v2/queue takes a file in a form, and answers 202 with a waiting job.',
    statements: ['1.2', '1.3a', '1.3c', '2.4', '2.6', '4.2', '9.3e'],
    isRequired: true,
    run: async (target) => {
      await submitAll(target);
      expectAccepted(submittedAs(target, 'file'));
    },
  },
  {
    id: 'queue-data-url',
    judges: 'POST /v2/queue takes the same as a data URL in JSON.',
    statements: ['1.2', '4.2'],
    run: async (target) => expectAccepted(submittedAs(target, 'data-url')),
  },
  {
    id: 'queue-at-once',
    judges: 'There is no fixed delay between submissions: several may come at once.',
    statements: ['8.2a'],
    run: async ({ session }) => {
      const submitted = session.answers.filter(({ request }) => request === 'POST /v2/queue');
      const limited = submitted.find((one) => codeOf(one) === 'rate_limit');
      if (!limited) return;
      const { rateLimit } = receivedEnvelopeSchema.safeParse(limited.json).data ?? {};
      const left = rateLimit?.limit?.minute?.remaining ?? rateLimit?.limit?.remaining ?? 0;
      if (left <= 0) throw notTried('The limit of the minute was reached.');
      throw differs(limited, 'a job, without a delay', `${described(limited)}, with ${left} remaining`);
    },
  },
  {
    id: 'queue-full',
    judges:
      'A caller may have five jobs in the queue (six by the published source); one more is 429 with job_limit.',
    statements: ['8.1'],
    codes: ['job_limit'],
    needsKey: true,
    run: async ({ making }) => {
      const { overflow = 'No skin was submitted.' } = making;
      if (typeof overflow === 'string') throw notTried(overflow);
      expectRefusal(overflow.answer, [429], 'job_limit');
    },
    remark: ({ making: { overflow } }) =>
      typeof overflow === 'object' && overflow.jobs > overflow.slots
        ? `${overflow.slots} by the specification, ${overflow.slots + 1} by the published source; this server: ${overflow.jobs}.`
        : undefined,
  },
  {
    id: 'job-pending',
    judges: 'GET /v2/queue/{jobId} has the job under the ID that the queue gave.',
    statements: ['1.3d', '2.4', '4.3'],
    isRequired: true,
    run: async (target) => {
      const { id } = acceptedJob(target);
      const answer = await target.session.get(`/v2/queue/${encodeURIComponent(id)}`);
      const { job } = contentOf(answer, JOB_ANSWER);
      expect(answer, job.id === id, `the job ${id}`, job.id);
    },
  },
  {
    id: 'job-without-version',
    judges: 'GET /queue/{jobId}, without /v2, has it too.',
    statements: ['4.n1'],
    run: async (target) => {
      const { id } = acceptedJob(target);
      contentOf(await target.session.get(`/queue/${encodeURIComponent(id)}`), JOB_ANSWER);
    },
  },
  {
    id: 'jobs-end',
    judges: 'Each job becomes completed or failed, and the list says so.',
    statements: ['2.5', '3.1', '4.4', '6.2', '9.3e'],
    isRequired: true,
    run: async ({ making, session }) => {
      if (making.drafts.every(({ job }) => job === undefined)) throw notTried('No job was accepted.');
      await making.untilEnded();
      const open = making.drafts.filter(({ job }) => job && isPending(job.status));
      const jobs = open.map(({ job }) => `${job?.id} is ${job?.status}`).join(', ');
      if (open.length > 0)
        throw differs({ request: 'GET /v2/queue' }, 'jobs that end within five minutes', jobs);
      if (!session.hasKey) return;
      const answer = await session.get('/v2/queue');
      const listed = contentOf(answer, receivedJobListAnswerSchema).jobs;
      const missing = making.drafts.filter(({ job }) => job && !listed.some(({ id }) => id === job.id));
      expect(answer, missing.length === 0, 'all jobs of this run', `none of ${missing.length} of them`);
    },
  },
  {
    id: 'queue-again',
    judges: 'Submissions are processed as slots open: what a full queue refused is accepted afterwards.',
    statements: ['8.2b'],
    run: async (target) => {
      if (target.making.drafts.length >= target.making.budget)
        throw notTried(`It would make one more skin: --generations ${target.making.budget + 1}`);
      const draft = target.making.draft();
      expectAccepted(await submit(target, draft, { as: 'file' }));
      target.making.hasEnded = false;
      await target.making.untilEnded();
    },
  },
  {
    id: 'generate',
    judges: 'POST /v2/generate answers 200 with the whole skin.',
    statements: ['4.1', '1.1', '2.1', '2.2', '2.3', '9.3a'],
    isRequired: true,
    run: async (target) => {
      // Where no new skin is left to make, the answer to a known one has the same form.
      const { making } = target;
      const draft = making.drafts.length < making.budget ? making.draft() : making.finished();
      const shape = { as: 'file', fields: { variant: draft.drawn } } as const;
      const answer = await submit(target, draft, shape, `/v2/generate?timeout=${LONGEST_GENERATE}`);
      const { skin } = contentOf(answer, SKIN_MADE);
      await expectData(target, answer, skin);
    },
  },
];

function expectAccepted(answer: Answer): void {
  expectStatus(answer, 202);
  const { job } = shaped(answer, JOB_ANSWER);
  const isOpen = job.status === 'waiting' || job.status === 'processing';
  expect(answer, isOpen, 'a job that is waiting', job.status);
  expect(answer, /^[\w-]{1,64}$/.test(job.id), 'an ID that an address can hold', job.id);
}

function acceptedJob({ making }: Target): { readonly id: string } {
  const job = making.drafts.find((draft) => draft.job !== undefined)?.job;
  if (job) return job;
  throw notTried('No job was accepted.');
}

/** The answer to the first submission of this form. @throws Finding */
function submittedAs({ making }: Target, as: Shape['as']): Answer {
  const answer = making.drafts[BURST.findIndex((one) => one.as === as)]?.answer;
  if (answer) return answer;
  throw notTried('The run may not make so many skins.');
}

/** Submits as many as the budget allows, and one more where the queue is full then. */
async function submitAll(target: Target): Promise<void> {
  const { making, session } = target;
  const { data } = receivedMeAnswerSchema.safeParse((await session.get('/v2/me')).json);
  const slots = data?.grants.queue ?? SLOTS;
  const count = Math.min(making.budget, Math.max(slots, BURST.length));
  const drafts = Array.from({ length: count }, (_, at) => {
    const { drawn, ...shape } = BURST[at % BURST.length]!;
    return { shape, draft: making.draft(drawn) };
  });
  const sent = await Promise.allSettled(
    drafts.map(async ({ shape, draft }) => await submit(target, draft, { ...shape, isUnpaced: true })),
  );
  for (const one of sent) if (one.status === 'rejected') throw one.reason;
  making.overflow =
    slots > count
      ? `The plan of the key has ${slots} slots: --generations ${slots}, or another key`
      : await submitToFull(target, slots);
}

/** Submits until it is refused: one, or a second one to a server that lets one more through. */
async function submitToFull({ making, session }: Target, slots: number): Promise<Making['overflow']> {
  const pending = (await making.pending()) ?? 0;
  if (pending < slots) return `Jobs ended too soon: only ${pending} of ${slots} were left in the queue.`;
  // The published source compares in such a way that one more is let through.
  for (let jobs = slots; ; jobs++) {
    const spare = making.spare();
    const answer = await session.send('POST', '/v2/queue', { content: json(spare, {}), isUnpaced: true });
    if (answer.status >= 300) return { answer, slots, jobs };
    making.keep(spare, answer);
    if (((await making.pending()) ?? 0) <= jobs) return 'A job ended before the last submission came.';
    if (jobs > slots) return { answer, slots, jobs: jobs + 1 };
  }
}
