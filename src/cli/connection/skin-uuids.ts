import { isUuid } from '../../base/uuid.ts';
import { usageError } from '../errors/exit.ts';
import { forService, namingOf, type Typed } from '../errors/service-hints.ts';

/** `the skin …`, or how many. */
export function skinsText(uuids: readonly string[]): string {
  return uuids.length === 1 ? `the skin ${uuids[0]}` : `${uuids.length} skins`;
}

/** @throws CliError when one of them is not a skin UUID */
export function verifyUuids(uuids: readonly string[], context: Typed): void {
  const wrong = uuids.find((uuid) => !isUuid(uuid));
  if (wrong === undefined) return;
  throw usageError('not_a_uuid', `"${wrong}" is not the UUID of a skin.`, listYours(context));
}

/** The hint for a UUID that no skin has. */
export function listYours(context: Typed): string {
  return `List yours: ${forService('skinsmith skins list', namingOf(context))}`;
}
