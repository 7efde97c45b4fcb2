import { type Answer, differs, notTried } from './finding.ts';
import type { Check } from './target.ts';

/** Whether times are in the units of the interface, which shows where they are compared with the `Date` of an answer. */

/** Where an answer has moments in milliseconds since the epoch; `*`: each entry of a list. */
const MILLISECONDS = [
  'job.timestamp',
  'job.eta',
  'jobs.*.timestamp',
  'skin.generator.timestamp',
  'skins.*.timestamp',
  'rateLimit.next.absolute',
  'next.absolute',
  'nextRequest.time',
] as const;

/** The same in seconds. */
const SECONDS = [
  'timestamp',
  'next',
  'skins.*.time',
  'rateLimit.limit.reset',
  'rateLimit.limit.minute.reset',
  'rateLimit.limit.hour.reset',
] as const;

/** Durations that an answer has twice: in milliseconds, and in seconds, which may be rounded. */
const DURATIONS = [
  ['rateLimit.delay.millis', 'rateLimit.delay.seconds'],
  ['delay.millis', 'delay.seconds'],
  ['delayInfo.millis', 'delayInfo.seconds'],
  ['delayInfo.millis', 'delay'],
  ['millis', 'seconds'],
  ['millis', 'delay'],
] as const;

/** Moments from which a wait follows, and that wait; both in milliseconds. */
const WAITS = [
  ['rateLimit.next.absolute', 'rateLimit.next.relative'],
  ['nextRequest.time', 'nextRequest.relative'],
] as const;

const SECOND = 1_000;
const YEAR = 365 * 24 * 60 * 60 * SECOND;
/** Skins and jobs may be old. In the wrong unit, a moment is near 1970 or millennia away. */
const OLDEST = 20 * YEAR;
/** How far a wait may be off: `Date` has whole seconds, and time passes on the way. */
const TOLERANCE = 3 * SECOND;

export const TIMES: readonly Check[] = [
  {
    id: 'answers-times',
    judges:
      'Moments are in milliseconds, those of windows and of version 1 in seconds, by the Date of the answer; a duration in both units is the same.',
    statements: ['8.4'],
    run: async ({ session }) => {
      for (const answer of session.answers) expectTimes(answer);
      if (!session.answers.some((answer) => dateOf(answer) !== undefined))
        throw notTried('The answers have no Date.');
    },
  },
];

function dateOf({ headers }: Answer): number | undefined {
  const date = Date.parse(String(headers['date'] ?? ''));
  return Number.isNaN(date) ? undefined : date;
}

/** @throws Finding */
export function expectTimes(answer: Answer): void {
  for (const [millis, seconds] of DURATIONS) expectSame(answer, millis, seconds);
  expectRetryAfter(answer);
  const date = dateOf(answer);
  if (date === undefined) return;
  for (const path of MILLISECONDS) expectMoments(answer, { path, date, unit: 1 });
  for (const path of SECONDS) expectMoments(answer, { path, date, unit: SECOND });
  for (const [moment, wait] of WAITS) expectWait(answer, { moment, wait, date });
}

interface Moment {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly date: number;
  /** Milliseconds of one. */
  readonly unit: 1 | typeof SECOND;
}

function expectMoments(answer: Answer, { path, date, unit }: Moment): void {
  for (const value of numbersAt(answer.json, path)) {
    const moment = value * unit;
    if (moment > date - OLDEST && moment < date + YEAR) continue;
    const name = unit === 1 ? 'milliseconds' : 'seconds';
    const now = Math.floor(date / unit);
    throw differs(answer, `${path} in ${name} since the epoch (now: ${now})`, String(value));
  }
}

function expectSame(answer: Answer, millisAt: string, secondsAt: string): void {
  const [millis] = numbersAt(answer.json, millisAt);
  const [seconds] = numbersAt(answer.json, secondsAt);
  if (millis === undefined || seconds === undefined) return;
  if (Math.abs(seconds * SECOND - millis) > SECOND)
    throw differs(answer, `${secondsAt} in seconds, as ${millisAt} (${millis}) says`, String(seconds));
}

/** Requests that wait for their skin, after they were limited. */
const WAITING = /\/generate\b/;

function expectWait(
  answer: Answer,
  { moment, wait, date }: { readonly moment: string; readonly wait: string; readonly date: number },
): void {
  const [absolute] = numbersAt(answer.json, moment);
  const [relative] = numbersAt(answer.json, wait);
  if (absolute === undefined || relative === undefined || WAITING.test(answer.request)) return;
  const left = Math.max(absolute - date, 0);
  if (Math.abs(left - relative) > TOLERANCE)
    throw differs(answer, `${wait} of about ${left} milliseconds, as ${moment} says`, String(relative));
}

function expectRetryAfter(answer: Answer): void {
  const header = String(answer.headers['retry-after'] ?? '');
  const [relative] = numbersAt(answer.json, 'rateLimit.next.relative');
  if (!/^\d+$/.test(header) || relative === undefined) return;
  if (Math.abs(Number(header) * SECOND - relative) > TOLERANCE)
    throw differs(answer, `Retry-After in seconds, as rateLimit.next.relative (${relative}) says`, header);
}

/** Numbers above 0 at a place in an answer: 0 stands for none. */
function numbersAt(json: unknown, path: string): number[] {
  const values = path
    .split('.')
    .reduce<unknown[]>((places, name) => places.flatMap((one) => inside(one, name)), [json]);
  return values.filter((value): value is number => typeof value === 'number' && value > 0);
}

function inside(place: unknown, name: string): unknown[] {
  if (name === '*') return Array.isArray(place) ? place : [];
  return typeof place === 'object' && place !== null ? [(place as Record<string, unknown>)[name]] : [];
}
