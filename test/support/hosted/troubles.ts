import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, encodeAnswer, page, send, withoutLimits } from './answers.ts';
import { internalError } from './error-answers.ts';
import type { Refused } from './hosted-api.ts';
import type { Trouble, TroubleKind } from './weather.ts';

/** A request that trouble comes between. */
export interface Deal {
  readonly response: ServerResponse;
  /** Does what the request asks for, and answers what should be sent. */
  readonly process: () => Promise<Answer>;
  /** An answer that refuses, with the limits as they are. */
  readonly refuse: (code: Refused) => Answer;
  /** Aborts when the service closes. */
  readonly closing: AbortSignal;
}

type Act = (deal: Deal, trouble: Trouble) => Promise<void> | void;

const ACTS = {
  absent: ({ response }) => send(response, page(404, 'Not Found')),
  reset: ({ response }) => cutConnection(response),
  'reset-after': async ({ process, response }) => {
    await process();
    cutConnection(response);
  },
  'internal-error': ({ response }) => send(response, internalError()),
  'bad-gateway': ({ response }) => send(response, page(502, 'Bad Gateway')),
  'bad-gateway-after': async ({ process, response }) => {
    await process();
    send(response, page(502, 'Bad Gateway'));
  },
  unavailable: ({ response, refuse }) => send(response, refuse('service_unavailable')),
  truncated: async ({ process, response }) => {
    const { status, headers, body } = encodeAnswer(await process());
    const half = body.subarray(0, body.length / 2);
    response.writeHead(status, { ...headers, 'content-length': String(half.length) }).end(half);
  },
  cut: async ({ process, response }) => {
    const { status, headers, body } = encodeAnswer(await process());
    response.writeHead(status, headers);
    response.write(body.subarray(0, body.length / 2), () => cutConnection(response));
  },
  slow: async ({ process, response, closing }, { wait }) => {
    const answer = await process();
    await sleep(wait, undefined, { signal: closing });
    send(response, answer);
  },
  'rate-limit': ({ response, refuse }) => send(response, refuse('rate_limit')),
  'job-limit': ({ response, refuse }) => send(response, refuse('job_limit')),
  'concurrency-limit': ({ response, refuse }) => send(response, refuse('concurrency_limit')),
  'no-limits': async ({ process, response }) => send(response, withoutLimits(await process())),
} as const satisfies Record<TroubleKind, Act>;

export async function act(deal: Deal, trouble: Trouble): Promise<void> {
  const how: Act = ACTS[trouble.kind];
  await how(deal, trouble);
}

function cutConnection(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
