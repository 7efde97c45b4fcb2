import type { SkinClientOptions } from './types.ts';

/** Every character that a header may contain; undici refuses others only when the request is sent. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The options, with the key trimmed: keys come from files and variables that end in a line break. An empty one, as from
 * an unset variable, means no key.
 * @throws TypeError, RangeError for options with which every request would fail
 */
export function checkedOptions(options: SkinClientOptions): SkinClientOptions {
  const { apiKey, userAgent, timeout } = options;
  const key = apiKey?.trim() || undefined;
  mustBeHeader('apiKey', key); // the message does not show it
  mustBeHeader('userAgent', userAgent);
  if (timeout !== undefined && !(timeout > 0))
    throw new RangeError(`timeout: ${timeout} is not a number of milliseconds above 0`);
  return { ...options, apiKey: key };
}

function mustBeHeader(option: string, value: string | undefined): void {
  if (value !== undefined && !HEADER_VALUE.test(value))
    throw new TypeError(`${option}: contains a character that no HTTP header may contain`);
}
