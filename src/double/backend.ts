import type { Fault, Refused } from './faults.ts';
import { HostedApi } from './hosted/api.ts';
import type { HostedOptions } from './hosted/options.ts';
import type { JobPlan } from './plans.ts';
import type { Reply } from './replies.ts';
import type { DoubleRequest } from './requests.ts';
import type { Scenario } from './scenario.ts';

/** What answers the requests that reach a double. */
export interface Backend {
  /** The API key of its one user. */
  readonly key: string;
  answer(request: DoubleRequest, plan?: JobPlan): Promise<Reply>;
  /** A refusal in the words of the service. */
  refuse(request: DoubleRequest, code: Refused, fault: Pick<Fault, 'wait' | 'says'>): Reply;
  /** Jobs of the user that have not ended. */
  unfinished(): number | Promise<number>;
  close(): Promise<void>;
}

/** A double that cannot be started, or cannot do what it should. `message` says why. */
export class DoubleError extends Error {
  override readonly name = 'DoubleError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What a scenario says of the service. */
export function hostedOptions({ service = {} }: Scenario): HostedOptions {
  const { time, slots, perMinute, delay, eta, listLag, pollGap, workers, known, latency } = service;
  return withoutAbsent({
    serviceTime: time,
    limit: slots,
    rate: perMinute === undefined ? undefined : { limit: perMinute },
    flags: perMinute === undefined ? undefined : { blockPerMinute: true },
    delay,
    eta: eta === false ? (false as const) : undefined,
    lag: listLag === undefined ? undefined : () => listLag,
    lookGap: pollGap,
    workers,
    known,
    latency,
  }) as HostedOptions;
}

/** Answers as the hosted service does. `url`: the double's root. */
export function hostedBackend(url: string, options: HostedOptions): Backend {
  const api = new HostedApi(url, options);
  const closing = new AbortController();
  return {
    key: api.key,
    answer: async (request, plan) => await api.answerFromAfar(request, closing.signal, { plan }),
    refuse: (request, code, fault) => api.refuse(request, code, fault),
    unfinished: () => api.intake.book.unfinished('user', api.now()),
    close: async () => closing.abort(),
  };
}

export function withoutAbsent<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
