import { bareUuid, isUuid } from '../../base/uuid.ts';
import type { Cape } from '../../index.ts';
import type { Settings } from '../config/settings.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { forService, namingOf, type Typed } from '../errors/service-hints.ts';
import { connectWithProgress } from './connect-with-progress.ts';
import type { Connector } from './connector.ts';

/** Resolves a cape's UUID or alias to its UUID. @throws CliError */
export async function capeNamed(
  name: string,
  { settings, context, isOffline }: { settings: Settings; context: Connector & Typed; isOffline: boolean },
): Promise<string> {
  if (isUuid(name)) return bareUuid(name);
  if (isOffline) {
    throw usageError(
      'cape_needs_uuid',
      `Cape names need the service, and this command runs offline.`,
      'Give the UUID of the cape.',
    );
  }
  const { client } = await connectWithProgress(settings, context);
  return bareUuid(capeIn(await client.capes({ signal: context.signal }), name, context).uuid);
}

/** Finds a cape by UUID or alias. @throws CliError when no cape matches, or several do */
export function capeIn(capes: readonly Cape[], name: string, context: Typed): Cape {
  const [found, ...more] = isUuid(name)
    ? capes.filter(({ uuid }) => bareUuid(uuid) === bareUuid(name))
    : capes.filter(({ alias }) => alias.toLowerCase() === name.toLowerCase());
  if (found && more.length === 0) return found;
  const hint = `List the capes: ${forService('skinsmith capes list', namingOf(context))}`;
  if (!found) throw new CliError('invalid_cape', `No cape "${name}".`, { hint });
  throw new CliError('invalid_cape', `Several capes are called "${name}".`, {
    hint: `Give the UUID of one: ${[found, ...more].map(({ uuid }) => uuid).join(', ')}`,
  });
}
