import { ServiceError } from '../../index.ts';
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
      return refused(error, shown);
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
  const detail = 'No API key stored; anonymous limits apply.';
  if (near === undefined) return warning(detail, 'Store one: skinsmith login');
  return warning(
    `${detail} One is stored for another address, ${near}.`,
    `skinsmith config set base-url ${near}`,
  );
}

/** Error codes for a key that the service knows but does not accept from this machine. */
const BINDINGS: Readonly<Record<string, readonly [detail: string, hint: string]>> = {
  'Client not allowed': [
    'is valid, but not from the address of this machine',
    'Allow the address where the key is managed; on skinsmith: skinsmith keys edit <id> --allow-ip <address>',
  ],
  'Origin not allowed': [
    'only works from web pages of certain origins, not from a command',
    'Use another key, or remove the origins; on skinsmith: skinsmith keys edit <id> --any-origin',
  ],
  'Agent not allowed': [
    'is valid, but not for the User-Agent of this program',
    'Set the name that the key is for: skinsmith config set user-agent <name>/1.0',
  ],
};

function refused(error: ServiceError, shown: string): Finding {
  const [, ...others] = error.answer.errors;
  const said = error.answer.errors[0]?.message ?? '';
  const binding = others.length === 0 && Object.hasOwn(BINDINGS, said) ? BINDINGS[said] : undefined;
  if (binding) return problem(`The key (${shown}) ${binding[0]}: ${said}.`, binding[1]);
  return problem(
    `The service does not accept the key (${shown}): ${error.message}`,
    'It was mistyped, revoked, or belongs to another service. Store the right one: skinsmith login',
  );
}
