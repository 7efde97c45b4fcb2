import type { ExitName } from '../errors/exit.ts';

/** Exit statuses for failures that are not caused by the source, by error code. */
const EXITS: ReadonlyMap<string, ExitName> = new Map([
  ['game_unreachable', 'tryLater'],
  ['unreachable', 'tryLater'],
  ['insufficient_grants', 'notAllowed'],
]);

/** The exit status after failures with these codes: a special one only if it holds for all of them. */
export function exitAfterFailures(codes: ReadonlySet<string>): ExitName {
  const [first = 'failed', ...others] = new Set([...codes].map((code) => EXITS.get(code) ?? 'failed'));
  return others.length === 0 ? first : 'failed';
}
