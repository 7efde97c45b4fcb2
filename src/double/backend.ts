import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Fault, Refused } from './faults.ts';
import { HostedApi } from './hosted/api.ts';
import type { HostedOptions } from './hosted/options.ts';
import type { JobPlan } from './plans.ts';
import { type Reply, refusalReply, withBody } from './replies.ts';
import { type DoubleRequest, withoutSecrets } from './requests.ts';

/** What answers the requests that reach a double. */
export interface Backend {
  /** The API key of its one user; undefined: it does not check keys. */
  readonly key: string | undefined;
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

/** One exchange of a recording: a line of JSON. It contains no keys or cookies, and only the hash of a body. */
const recordedSchema = z.object({
  method: z.string(),
  /** Path and query. */
  address: z.string(),
  /** SHA-256 of the body, in hexadecimal digits. */
  body: z.string(),
  status: z.int().min(100).max(599),
  headers: z.record(z.string(), z.string()),
  /** Text as it is, anything else in base64. */
  answer: z.union([z.strictObject({ text: z.string() }), z.strictObject({ base64: z.string() })]),
});
type Recorded = z.infer<typeof recordedSchema>;

/** Headers of answers that clients act upon; others may reveal the service and its caller. */
const KEPT_HEADERS = /^(content-type|retry-after|location|cache-control|etag|date|x-ratelimit-[\w-]+)$/;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_RECORDING_BYTES = 256 * 1024 * 1024;
/** Milliseconds for one answer of the service that is recorded. */
const TIMEOUT = 60_000;

/** Jobs of a recording have ended: nothing can be planned for them. */
function cannotPlan(): Reply {
  const message = 'A recording cannot do what this name says; a double of a service can.';
  return refusalReply(400, { code: 'validation_error', message });
}

/** A recording knows no key and no jobs. */
const WITHOUT_RULES = {
  key: undefined,
  refuse: (_, code) => refusalReply(429, { code, message: code }),
  unfinished: () => 0,
} satisfies Partial<Backend>;

/** Passes requests on to a service, and records its answers. @throws DoubleError */
export function recordingOf(upstream: string, file: string): Backend {
  const root = upstreamRoot(upstream);
  const out = openNew(file);
  return {
    answer: async (request, plan) => {
      if (plan && plan.isKnown !== false) return cannotPlan();
      const reply = await passOn(root, request);
      appendFileSync(out, `${JSON.stringify(recorded(request, reply))}\n`);
      return reply;
    },
    ...WITHOUT_RULES,
    close: async () => closeSync(out),
  };
}

function upstreamRoot(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new DoubleError(
      'invalid_upstream',
      'The address to record must begin with https:// and hold no password.',
    );
  return url.href.replace(/\/(v2\/?)?$/, '');
}

/** @throws DoubleError if the file exists: it is never replaced */
function openNew(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    throw new DoubleError(
      'recording_unusable',
      `The recording ${file} cannot be written: ${(error as Error).message}`,
    );
  }
}

async function passOn(root: string, { method, address, headers, body }: DoubleRequest): Promise<Reply> {
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    /^(authorization|content-type|accept|user-agent)$/.test(name) && typeof value === 'string'
      ? [[name, value] as [string, string]]
      : [],
  );
  const answer = await fetch(root + address, {
    method,
    headers: sent,
    ...(body.length > 0 && { body: new Uint8Array(body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (bytes.length > MAX_ANSWER_BYTES)
    throw new DoubleError('recording_unusable', 'The answer is too long to record.');
  const kept = [...answer.headers].filter(([name]) => KEPT_HEADERS.test(name));
  return withBody({ status: answer.status, headers: Object.fromEntries(kept) }, bytes);
}

function recorded(request: DoubleRequest, { status, headers, body }: Reply): Recorded {
  const bytes = body as Buffer;
  const isText = /^(application\/json|text\/)/.test(String(headers['content-type']));
  return {
    method: request.method,
    address: withoutSecrets(request.address),
    body: bodyHash(request),
    status,
    headers: headers as Record<string, string>,
    answer: isText ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') },
  };
}

/** Answers from a recording: each request in the order in which it was recorded, the last answer again and again. */
export function replayOf(file: string): Backend {
  const answers = new Map<string, Recorded[]>();
  for (const line of readLines(file)) {
    const key = exchangeKey(line.method, line.address, line.body);
    answers.set(key, [...(answers.get(key) ?? []), line]);
  }
  return {
    answer: async (request, plan) => {
      if (plan && plan.isKnown !== false) return cannotPlan();
      const found = answers.get(
        exchangeKey(request.method, withoutSecrets(request.address), bodyHash(request)),
      );
      const [next] = found ?? [];
      if (!next) return notRecorded(request);
      if (found!.length > 1) found!.shift();
      const { answer } = next;
      const body = 'text' in answer ? Buffer.from(answer.text) : Buffer.from(answer.base64, 'base64');
      return withBody(next, body);
    },
    ...WITHOUT_RULES,
    close: async () => {},
  };
}

/** @throws DoubleError */
function readLines(file: string): Recorded[] {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > MAX_RECORDING_BYTES) throw new Error('it is too long');
    const lines = bytes
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    return lines.map((line) => recordedSchema.parse(JSON.parse(line)));
  } catch (error) {
    throw new DoubleError(
      'recording_unusable',
      `The recording ${file} cannot be read: ${(error as Error).message}`,
    );
  }
}

function notRecorded({ method, address }: DoubleRequest): Reply {
  return refusalReply(599, {
    code: 'not_recorded',
    message: `The recording has no answer to ${method} ${address}.`,
  });
}

function exchangeKey(method: string, address: string, body: string): string {
  return `${method} ${address} ${body}`;
}

/** The boundary of a form is another one each time. */
function bodyHash({ headers, body }: DoubleRequest): string {
  const boundary = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1];
  const bytes = boundary ? Buffer.from(body.toString('latin1').replaceAll(boundary, ''), 'latin1') : body;
  return createHash('sha256').update(bytes).digest('hex');
}
