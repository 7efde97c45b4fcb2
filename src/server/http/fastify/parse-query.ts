import { parse } from 'node:querystring';

/** The query of a request, the same whichever way the request goes: past the framework or through it. */
export function parseQuery(text: string): Record<string, unknown> {
  return parse(text, undefined, undefined, { maxKeys: 0 });
}
