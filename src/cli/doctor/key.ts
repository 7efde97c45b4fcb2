import { ServiceError } from '../../index.ts';
import { bindingOf, forService, namingOf, otherAddressHint, validKeyHint } from '../errors/service-hints.ts';
import { masked } from '../text/masked.ts';
import { type Check, type Finding, ok, problem, warning } from './check.ts';
import type { Setup } from './setup.ts';

/** Checks that there is a key for the service, and that the service accepts it from this machine. */
export const keyCheck: Check = {
  needs: ['connection'],
  look: async (setup) => {
    const { isEmbedded } = await setup.connection();
    if (isEmbedded) return ok('The embedded service needs no key.');
    const key = await setup.key();
    if (key === undefined) return await noKey(setup);
    const shown = `${masked(key.slice(-4))}, ${await placeOf(setup)}`;
    try {
      const me = await setup.me();
      if (!me) return ok(`The key (${shown}) is valid; it belongs to no account.`);
      return ok(`The key (${shown}) is valid and belongs to ${me.name ?? me.user}.`);
    } catch (error) {
      if (!(error instanceof ServiceError) || ![401, 403].includes(error.status)) throw error;
      return refused(error, shown, setup);
    }
  },
};

async function placeOf({ context: { env, configFile } }: Setup): Promise<string> {
  return env['SKINSMITH_API_KEY']?.trim() ? 'from SKINSMITH_API_KEY' : `stored in ${configFile.path}`;
}

/** Mentions a key stored for the same host under another address, which is probably the right one. */
async function noKey(setup: Setup): Promise<Finding> {
  const { client } = await setup.connection();
  const { hostname } = new URL(client.baseUrl);
  const places = Object.keys(await setup.context.configFile.keyPlaces());
  const near = places.find((place) => URL.parse(place)?.hostname === hostname);
  const detail = 'No API key is stored, so the limits for anonymous callers apply.';
  const naming = namingOf(setup.context);
  if (near === undefined) return warning(detail, `Store one: ${forService('skinsmith login', naming)}`);
  return warning(
    `${detail} One is stored for another address, ${near}.`,
    `To use that address: ${otherAddressHint(near, naming)}`,
  );
}

function refused(error: ServiceError, shown: string, setup: Setup): Finding {
  const binding = bindingOf(error);
  if (binding) return problem(`The key (${shown}) ${binding.problem}`, binding.hint);
  return problem(
    `The service does not accept the key (${shown}): ${error.message}`,
    `It was mistyped, revoked, or belongs to another service. ${validKeyHint(namingOf(setup.context))}`,
  );
}
