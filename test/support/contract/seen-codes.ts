import { appendFileSync } from 'node:fs';
import { ANYWHERE, SEEN_CODES } from '../../../docs/internals/compatibility/seen-codes.ts';
import type { Exchange } from './contract.ts';

/** The error codes of an answer in either version. */
function codesOf({ status, headers, bytes }: Exchange): string[] {
  if (status < 400 || bytes.length === 0 || !String(headers['content-type']).startsWith('application/json'))
    return [];
  const body = JSON.parse(Buffer.from(bytes).toString('utf8')) as {
    readonly errors?: readonly { readonly code: string }[];
    readonly errorCode?: string;
  };
  const codes =
    body.errors?.map(({ code }) => code) ?? (body.errorCode === undefined ? [] : [body.errorCode]);
  return codes.slice(0, 1); // the others explain the first one
}

/**
 * The operation's codes that docs/internals/compatibility.md lacks. With RECORD_CODES, the path of a file, they are written
 * there instead: see docs/internals/compatibility/record-codes.ts.
 */
export function unknownCodes(operation: string, exchange: Exchange): string[] {
  const codes = codesOf(exchange).filter((code) => !ANYWHERE.includes(code));
  const path = process.env['RECORD_CODES'];
  if (path !== undefined) {
    for (const code of codes) appendFileSync(path, `${JSON.stringify([operation, code])}\n`);
    return [];
  }
  const seen = SEEN_CODES[operation] ?? [];
  return codes
    .filter((code) => !seen.includes(code))
    .map(
      (code) =>
        `docs/internals/compatibility.md lacks the code ${code} for it. Run: npm run compatibility:codes`,
    );
}
