import type { Fault, Refused } from './faults.ts';
import { HostedApi } from './hosted/api.ts';
import type { HostedOptions } from './hosted/options.ts';
import type { JobPlan } from './plans.ts';
import type { Reply } from './replies.ts';
import type { DoubleRequest } from './requests.ts';

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
