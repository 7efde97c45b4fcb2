import { forService, type ServiceNaming } from '../errors/service-hints.ts';

/** Hints for the service's own findings, and for why it takes no work. The other findings need none. */
const HINTS: Readonly<Record<string, string | ((naming: ServiceNaming) => string)>> = {
  stopping: 'Wait until it has been started again, or start it.',
  store_replaced:
    'Put the files back and restart the service. In PostgreSQL, restore the database: the service goes on by itself.',
  store_not_writable:
    "Free some disk space, or make the data folder writable; in PostgreSQL, check the rights of the store's user.",
  store_unreachable:
    'Check that PostgreSQL runs and answers, that its disk is not full and it is no standby, and that the service can reach it. The log of the service says what happened.',
  store_full: 'Delete skins, shorten --retention or raise --max-store.',
  signing_key_changed: 'Put signing-key.pem back, for example from a backup.',
  workers_in_trouble: 'See the log of the service.',
  generator_not_ready: 'See the check of the generator.',
  store_clock: 'Let the clocks of all machines be set by NTP. Jobs and limits go by that of the database.',
  store_pool: 'Give each process more connections: --store-connections',
  store_connections: 'Raise max_connections of PostgreSQL, or lower --store-connections.',
  store_listener: 'If this stays so, see the log of the service; behind a pooler it is always so.',
  store_damaged: 'Restore it from a backup: skinsmith restore',
  store_too_new: 'Restart the service with the newer version.',
  generator_silent: 'See the log of the service.',
  signing_key_unusable: 'Restore signing-key.pem from a backup.',
  no_accounts: (naming) => `Link one: ${forService('skinsmith accounts link', naming)}`,
  no_usable_account: listAccounts,
  accounts_need_care: listAccounts,
  no_client_id:
    'Accounts linked with a game token expire within a day. For others, give serve your client ID: --login-client-id',
  game_unreachable: "Is the service's machine online, and does a firewall let it out?",
  game_limits: 'Other programs at the same address may use the services of the game too.',
  upstream_key_refused: 'Start serve with the key that is valid there: --upstream-key-file',
  upstream_unreachable: 'Check the other service: skinsmith doctor --base-url <its address>',
  upstream_wait: 'Check the other service: skinsmith doctor --base-url <its address>',
};

function listAccounts(naming: ServiceNaming): string {
  return `See what is wrong with them: ${forService('skinsmith accounts list', naming)}`;
}

/** The hint for the first of these that has one. */
export function hintFor(codes: readonly string[], naming: ServiceNaming): string | undefined {
  const code = codes.find((one) => Object.hasOwn(HINTS, one));
  const hint = code === undefined ? undefined : HINTS[code];
  return typeof hint === 'function' ? hint(naming) : hint;
}
