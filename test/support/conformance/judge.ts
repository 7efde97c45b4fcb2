import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { type Judgement, openConformance, planOf } from '../../../src/conformance/run.ts';
import { DOUBLE_START } from '../../../src/double/clock.ts';
import { type Double, type DoubleOptions, startDouble } from '../../../src/double/double.ts';

export type Fetch = (request: Request) => Promise<Response>;

/** Jobs that take until the queue was full. */
const SLOW = { service: { time: 400 } } as const;

/** A double, without a network. The time of one of the hosted service passes only while a run waits. */
export async function openDouble(options: DoubleOptions = {}): Promise<Double> {
  const clock = options.as === 'skinsmith' ? 'running' : 'manual';
  const double = await startDouble({ listens: false, scenario: SLOW, clock, ...options });
  onTestFinished(async () => await double.stop().catch(() => {}));
  return double;
}

/** Waiting advances the double. */
export function clockOf(double: Double): Clock {
  let time = 0;
  return {
    now: () => DOUBLE_START + time,
    monotonic: () => time,
    sleep: async (milliseconds, signal) => {
      time += milliseconds;
      double.advance(milliseconds);
      await setImmediate();
      signal?.throwIfAborted();
    },
  };
}

export interface JudgeOptions {
  readonly only?: string;
  readonly clock?: Clock;
  /** What stands before the double. */
  readonly before?: (fetch: Fetch) => Fetch;
  readonly signal?: AbortSignal;
  readonly onJudgement?: (judgement: Judgement) => void;
}

export async function judge(
  double: Double,
  {
    only = 'write',
    before = (fetch) => fetch,
    clock = clockOf(double),
    signal = new AbortController().signal,
    onJudgement,
  }: JudgeOptions = {},
) {
  const common = { baseUrl: double.url, apiKey: double.key, clock, pause: 0 };
  const run = openConformance({
    ...common,
    plan: planOf(only)!,
    signal,
    generations: 5,
    fetch: before(double.fetch),
  });
  const judgements: Judgement[] = [];
  let stays: readonly string[] = [];
  try {
    for await (const judgement of run.judge()) {
      judgements.push(judgement);
      onJudgement?.(judgement);
    }
  } finally {
    stays = await run.making.cleanUp();
    await run.session.close();
  }
  const withVerdict = (wanted: Judgement['verdict']) =>
    judgements.filter(({ verdict }) => verdict === wanted).map(({ check }) => check.id);
  return { judgements, stays, differs: withVerdict('differs'), notThere: withVerdict('absent') };
}

/** Every answer of the double is changed on its way. */
export function changing(change: (answer: Response, request: Request) => Promise<Response> | Response) {
  return (fetch: Fetch): Fetch =>
    async (request) =>
      await change(await fetch(request.clone()), request);
}

export async function withBody(
  answer: Response,
  change: (body: Record<string, unknown>) => void,
  status = answer.status,
): Promise<Response> {
  if (!answer.headers.get('content-type')?.startsWith('application/json')) return answer;
  const text = await answer.text();
  const body = JSON.parse(text) as Record<string, unknown>;
  change(body);
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  return new Response(JSON.stringify(body), { status, headers });
}

export const isJson = ({ headers }: Request) => headers.get('content-type') === 'application/json';
export const isSubmission = ({ method, url }: Request) => method === 'POST' && /\/v2\/queue$/.test(url);
