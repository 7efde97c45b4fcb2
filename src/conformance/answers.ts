import { z } from 'zod';
import { envelopeSchema, receivedEnvelopeSchema } from '../protocol/envelope.ts';
import { type Answer, codeOf, differs, expect, notTried, shaped } from './finding.ts';
import { RATE_LIMIT, REFUSAL } from './published.ts';
import type { Check, Target } from './target.ts';
import { TIMES } from './times.ts';

/** What holds for every answer of a run: judged at its end. */
export const EVERY_ANSWER: readonly Check[] = [
  {
    id: 'answers-envelope',
    judges: 'Every answer of version 2 in JSON says success, and has its notes as lists of code and message.',
    statements: ['2.6', '7.3'],
    isRequired: true,
    run: async ({ session }) => {
      const answers = session.answers.filter((one) => isOfVersion2(one) && one.json !== undefined);
      for (const answer of answers) {
        const { success } = shaped(answer, envelopeSchema);
        const isGood = answer.status < 400;
        expect(answer, success === isGood, `success: ${isGood}`, `success: ${success}`);
      }
    },
  },
  {
    id: 'answers-refusals',
    judges: 'Every refusal of version 2 has errors, the first of which gives the reason.',
    statements: ['7.3'],
    run: async ({ session }) => {
      const refused = session.answers.filter(({ json, status }) => json !== undefined && status >= 400);
      const refusals = refused.filter(isOfVersion2);
      if (refusals.length === 0) throw notTried('No request was refused.');
      for (const answer of refusals) shaped(answer, REFUSAL);
    },
  },
  {
    id: 'answers-limits',
    judges: 'Answers to submissions say in rateLimit when the next may come, and what is left of the limits.',
    statements: ['8.4', '8.5'],
    run: async (target) => {
      for (const answer of submissionsOf(target)) {
        const rateLimit = (answer.json as { rateLimit?: unknown }).rateLimit;
        if (rateLimit === undefined) throw differs(answer, 'rateLimit', 'none');
        shapedLimits(answer, rateLimit);
      }
      for (const answer of target.session.answers) {
        const { rateLimit } = (answer.json ?? {}) as { rateLimit?: unknown };
        const isRefusal = answer.status >= 400 && isOfVersion2(answer);
        if (isRefusal && rateLimit !== undefined) shapedLimits(answer, rateLimit);
      }
    },
  },
  {
    id: 'answers-limit-headers',
    judges: 'Their headers X-RateLimit-Limit, -Remaining and -Reset say the same.',
    statements: ['8.4'],
    run: async (target) => {
      for (const answer of submissionsOf(target)) {
        const { minute } = receivedEnvelopeSchema.safeParse(answer.json).data?.rateLimit?.limit ?? {};
        for (const name of ['Limit', 'Remaining', 'Reset'] as const) {
          const lower = name.toLowerCase() as Lowercase<typeof name>;
          const [header, told] = [answer.headers[`x-ratelimit-${lower}`], minute?.[lower]];
          expect(answer, header !== undefined, `a header X-RateLimit-${name}`, 'none');
          const isSame = told === undefined || header === String(told);
          expect(answer, isSame, `X-RateLimit-${name}: ${told}, as in the body`, String(header));
        }
      }
    },
  },
  {
    id: 'answers-waits',
    judges: 'A 429 for too many requests says how long to wait.',
    statements: ['7.2', '8.4'],
    codes: ['rate_limit'],
    run: async ({ session }) => {
      const limited = session.answers.filter((one) => one.status === 429 && codeOf(one) === 'rate_limit');
      if (limited.length === 0) throw notTried('No limit was reached, because the requests are careful.');
      for (const answer of limited) {
        const { rateLimit } = receivedEnvelopeSchema.safeParse(answer.json).data ?? {};
        const isTold = answer.headers['retry-after'] !== undefined || (rateLimit?.next?.relative ?? 0) > 0;
        expect(answer, isTold, 'Retry-After, or rateLimit.next.relative above 0', 'neither');
      }
    },
  },
  ...TIMES,
];

function isOfVersion2({ request }: Answer): boolean {
  return request.includes(' /v2/') || / \/queue\b/.test(request);
}

/** Answers to submissions that were accepted. @throws Finding if there are none */
function submissionsOf({ session }: Target): readonly Answer[] {
  const found = session.answers.filter(
    ({ request, status, json }) =>
      (request === 'POST /v2/queue' || request === 'POST /v2/generate') && status < 300 && json !== undefined,
  );
  if (found.length === 0) throw notTried('No submission was accepted.');
  return found;
}

function shapedLimits(answer: Answer, rateLimit: unknown): void {
  const json = { rateLimit };
  shaped({ ...answer, json, text: JSON.stringify(json) }, z.object({ rateLimit: RATE_LIMIT }));
}
