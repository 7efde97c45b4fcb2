import { z } from 'zod';
import type { Answer } from './answers.ts';
import { type HostedRequest, REQUEST_KINDS } from './requests.ts';

type Content = Readonly<Record<string, unknown>>;

/**
 * Changes the JSON that the service sends, successes and refusals alike. Either a function, or a patch for each
 * kind of request: objects are merged where they are there, a patch for a list goes to each of its entries, `ABSENT`
 * takes a field away, and anything else (null, for example) takes the place of what was there.
 * @example { me: { user: null, grants: ABSENT }, list: { jobs: { eta: null, timestamp: '2026-02-01T00:00:00Z' } } }
 */
export type Alteration =
  | Partial<Record<HostedRequest['kind'], unknown>>
  | ((content: Content, request: HostedRequest) => Content);

/** In a patch: the field is not there at all. */
export const ABSENT = '(absent)';

export const alterationSchema = z.partialRecord(z.enum(REQUEST_KINDS), z.unknown());

export function altered(answer: Answer, request: HostedRequest, alteration: Alteration = {}): Answer {
  const { content } = answer;
  if (typeof content !== 'object' || Buffer.isBuffer(content)) return answer;
  if (typeof alteration === 'function')
    return { ...answer, content: alteration(content as Content, request) };
  const patch = alteration[request.kind];
  return patch === undefined ? answer : { ...answer, content: patched(content, patch) as Content };
}

function patched(value: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  if (Array.isArray(value)) return value.map((entry) => patched(entry, patch));
  const fields = isFields(value) ? { ...value } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === ABSENT) delete fields[name];
    else if (isFields(change) && fields[name] === undefined)
      continue; // a pending job has no skin to change
    else fields[name] = patched(fields[name], change);
  }
  return fields;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
