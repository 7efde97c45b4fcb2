import type { Note } from '../../../protocol/envelope.ts';
import { safeParse } from '../../../protocol/parsing.ts';
import type { Caller } from '../../service/callers/caller.ts';
import { Refusal, validationRefusal } from '../../service/refusal.ts';
import type { HttpRequest } from '../request.ts';
import type { Call, Route } from '../route.ts';
import { readSentKey, UNKNOWN_BARE } from './sent-key.ts';

interface ParsedRoute {
  readonly route: Route;
  /** Its `querySchemaOf`, made once: a schema compiles its checks on first use. */
  readonly query: Route['query'];
}

/**
 * The request in the form that the route's handler expects. @throws Refusal if it does not match the route's schemas
 */
export function parseRequest(
  request: HttpRequest,
  { route, query: querySchema }: ParsedRoute,
  { context, caller, verify }: Pick<Call, 'context' | 'caller' | 'verify'>,
): Call {
  verifyBodyType(request, route);
  const params = parseWith(route.params, request.params);
  const query = parseWith(querySchema, request.query);
  const headers = parseWith(route.headers, request.headers);
  return { context, request, caller, verify, params, query, headers, warnings: warningsFor(request, caller) };
}

/** A form sent to a route that reads none would count as an empty body: for instance, as a key without bindings. */
function verifyBodyType(request: HttpRequest, { bodies }: Route): void {
  if (bodies === undefined || 'multipart/form-data' in bodies || !request.parts) return;
  throw new Refusal('invalid_content_type', 'The body must be application/json.');
}

function parseWith(schema: Route['query'], input: unknown): unknown {
  if (!schema) return input;
  const parsed = safeParse(schema, input);
  if (!parsed.success) throw validationRefusal(parsed.error);
  return parsed.data;
}

function warningsFor(request: HttpRequest, caller: Caller): Note[] {
  const sent = readSentKey(request);
  const isUnknown = sent.isBare && caller.kind === 'anonymous';
  const warnings: Note[] = isUnknown ? [UNKNOWN_BARE] : [...sent.warnings];
  if (caller.kind === 'anonymous' && warnings.length === 0) {
    const message = 'No API key was sent, so the limits for anonymous callers apply.';
    warnings.push({ code: 'no_api_key', message });
  }
  if (!request.headers['user-agent'] && !request.headers['mineskin-user-agent']) {
    warnings.push({ code: 'no_user_agent', message: 'Send a User-Agent that names your application.' });
  }
  return warnings;
}
