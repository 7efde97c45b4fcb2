/** Any API key of this service, anywhere in a line: also in an address that was requested by mistake. */
const KEYS = /sksm_[0-9a-z]+|(?<=\bbearer )[^\s"\\]+/gi;

/** A line of the log without anything that looks like a key. */
export function withoutKeys(line: string): string {
  return line.replace(KEYS, '…');
}
