import type { Note } from '../../../protocol/envelope.ts';

/** Common client mistakes in sending a key, each with its message; the first match counts. */
const MANGLINGS: readonly (readonly [pattern: RegExp, message: string])[] = [
  [
    /^Bearer\s+Bearer\b/i,
    'The word "Bearer" was sent twice: the client adds it itself, so leave it out of the setting.',
  ],
  [
    /^(?:Bearer\s+)?Optional(?:\[|\.empty)/i,
    'The key arrived as Optional[…]: that is a mistake of the client, which an update may fix.',
  ],
  [/["'`“”‘’]/, 'The key arrived with quotes around it: leave them out of the setting.'],
  [/^Bearer\s+[<{[(]/i, 'The key arrived with brackets around it: leave them out of the setting.'],
  [/^Bearer\s+\S+\s+\S/i, 'The key arrived with a space inside: copy it again, without line breaks.'],
];

/** Explains an obvious mistake in an unknown key, based on the Authorization header of the request. */
export function manglingOf(authorization: string): Note[] {
  const message = MANGLINGS.find(([pattern]) => pattern.test(authorization))?.[1];
  return message === undefined ? [] : [{ code: 'invalid_api_key', message }];
}
