/**
 * What a game server or a client with authlib-injector requests of the game's services, from the published source of the
 * agent (of July 2026), the game's own list of addresses in it, and the routes of drasl, another such service (read in
 * 2026-11).
 */

/** The addresses at this service that the agent puts in place of those of the game. */
interface AskedOfGame {
  readonly endpoints: readonly string[];
  readonly who: string;
  readonly here: string;
}

export const ANSWERED: readonly AskedOfGame[] = [
  {
    endpoints: ['GET /'],
    who: 'The agent at its start.',
    here: 'The public key of this service, and the hosts of its textures.',
  },
  {
    endpoints: ['GET /sessionserver/session/minecraft/hasJoined'],
    who: 'A game server when a player joins.',
    here: "Mojang's answer, with what the player's name wears here.",
  },
  {
    endpoints: ['GET /sessionserver/session/minecraft/profile/{uuid}'],
    who: 'Game servers and clients, for the skins of players and heads; plugins.',
    here: "Mojang's signed profile, with what the player's name wears here; so for the UUIDs of such names in offline mode. 204 if there is none.",
  },
  {
    endpoints: [
      'GET /api/users/profiles/minecraft/{name}',
      'GET /minecraftservices/minecraft/profile/lookup/name/{name}',
      'GET /api/minecraft/profile/lookup/name/{name}',
    ],
    who: 'Game servers since 1.21.7 for `/whitelist add`, `/op` and heads by name; SkinsRestorer, LibsDisguises and ZNPCsPlus, which contain the first address.',
    here: "`{id, name}`; 404 with `path` and `errorMessage` as in Mojang's own answer.",
  },
  {
    endpoints: [
      'POST /api/profiles/minecraft',
      'POST /minecraftservices/minecraft/profile/lookup/bulk/byname',
      'POST /api/minecraft/profile/lookup/bulk/byname',
    ],
    who: 'Game servers of all versions for several names. The agent itself sends the first one, for the second as well.',
    here: 'A list of `{id, name}` without unused names; at most 10 names, as at Mojang. Names that only wear something here have their UUIDs in offline mode.',
  },
  {
    endpoints: ['GET /minecraftservices/minecraft/profile/lookup/{uuid}'],
    who: 'Plugins that look up names.',
    here: '`{id, name}`, or 404.',
  },
  {
    endpoints: ['PUT /api/user/profile/{uuid}/{type}', 'DELETE /api/user/profile/{uuid}/{type}'],
    who: 'Launchers that upload skins and capes.',
    here: 'An API key is the access token. For names of its user; 204.',
  },
];

/** Why an address has no answer. */
const TOKEN =
  '404. The request contains the token of a player, which this service does not read, log or pass on.';
const BY_AGENT = '404. The agent answers it itself.';

export const UNANSWERED: readonly AskedOfGame[] = [
  {
    endpoints: ['GET /minecraftservices/publickeys'],
    who: 'Game servers and clients since 1.19, for the keys of profiles and chat.',
    here: `${BY_AGENT} Its list has the key of this service and Mojang's.`,
  },
  {
    endpoints: [
      'GET /minecraftservices/player/attributes',
      'GET /minecraftservices/privileges',
      'GET /minecraftservices/privacy/blocklist',
      'GET /sessionserver/blockedservers',
    ],
    who: 'Clients at their start.',
    here: BY_AGENT,
  },
  {
    endpoints: ['POST /minecraftservices/player/certificates'],
    who: 'Clients, for the key that signs their chat.',
    here: `${BY_AGENT} Nobody has signed the key that it makes.`,
  },
  {
    endpoints: ['POST /sessionserver/session/minecraft/join'],
    who: 'Clients that join a server in online mode.',
    here: TOKEN,
  },
  {
    endpoints: [
      'POST /minecraftservices/player/report',
      'POST /minecraftservices/player/attributes',
      'POST /minecraftservices/presence',
      'GET /minecraftservices/friends',
      'POST /minecraftservices/friends',
      'POST /minecraftservices/events',
    ],
    who: 'Clients, to report players, for settings, friends and telemetry.',
    here: TOKEN,
  },
  {
    endpoints: [
      'GET /minecraftservices/minecraft/profile',
      'POST /minecraftservices/minecraft/profile/skins',
      'DELETE /minecraftservices/minecraft/profile/skins/active',
      'DELETE /minecraftservices/minecraft/profile/capes/active',
      'POST /minecraftservices/authentication/login_with_xbox',
    ],
    who: 'Launchers and clients that sign in or change their skins.',
    here: TOKEN,
  },
  {
    endpoints: [
      'POST /authserver/authenticate',
      'POST /authserver/refresh',
      'POST /authserver/validate',
      'POST /authserver/invalidate',
      'POST /authserver/signout',
    ],
    who: 'Launchers that sign in at an authlib-injector service.',
    here: '404. This service has no accounts of players.',
  },
];
