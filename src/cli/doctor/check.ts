import { reportOf } from '../errors/error-report.ts';
import { forService, type ServiceNaming } from '../errors/service-hints.ts';
import type { Setup } from './setup.ts';

export const CHECK_NAMES = [
  'program',
  'config',
  'settings',
  'data',
  'service',
  'connection',
  'answer',
  'key',
  'clock',
  'limits',
  'slots',
  'textures',
  'signature',
  'store',
  'generator',
  'sign-in',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export interface CheckFinding {
  readonly result: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly detail: string;
  readonly hint?: string | undefined;
}

export interface Check {
  /** Checks that this one depends on: it is skipped if one of them finds a problem. */
  readonly needs: readonly CheckName[];
  /** An error that it throws is reported as a problem, unless the error is a bug. */
  readonly look: (setup: Setup) => Promise<CheckFinding>;
}

export function ok(detail: string): CheckFinding {
  return { result: 'ok', detail };
}

export function warning(detail: string, hint?: string): CheckFinding {
  return { result: 'warning', detail, hint };
}

export function problem(detail: string, hint?: string): CheckFinding {
  return { result: 'problem', detail, hint };
}

export function skipped(detail: string): CheckFinding {
  return { result: 'skipped', detail };
}

/** Hints for the service's own findings, and for why it accepts no work. Other findings need none. */
const HINTS: Readonly<Record<string, string | ((naming: ServiceNaming) => string)>> = {
  stopping: 'Wait until it starts again, or start it.',
  store_replaced:
    'Put the files back and restart the service. In PostgreSQL, restore the database: the service then continues by itself.',
  store_not_writable:
    "Free some disk space, or make the data folder writable; in PostgreSQL, check the privileges of the store's user.",
  store_unreachable:
    'Check that PostgreSQL is running and not a standby, that its disk is not full, and that the service can reach it. The log of the service says what happened.',
  store_full: 'Delete skins, shorten --retention or raise --max-store.',
  signing_key_changed: 'Put signing-key.pem back, for example from a backup.',
  workers_in_trouble: 'See the log of the service.',
  generator_not_ready: 'See the check of the generator.',
  store_clock: "Set the clocks of all machines by NTP. Jobs and limits use the database's clock.",
  store_pool: 'Allow each process more connections: --store-connections',
  store_connections: 'Raise max_connections of PostgreSQL, or lower --store-connections.',
  store_listener: 'If this persists, see the log of the service; behind a pooler it is normal.',
  store_damaged: 'Restore it from a backup: skinsmith restore',
  store_too_new: 'Restart the service with the newer version.',
  generator_silent: 'See the log of the service.',
  signing_key_unusable: 'Restore signing-key.pem from a backup.',
  no_accounts: (naming) => `Link one: ${forService('skinsmith accounts link', naming)}`,
  no_usable_account: listAccounts,
  accounts_need_care: listAccounts,
  accounts_rest: listAccounts,
  no_client_id:
    'Accounts linked with a game token expire within a day. For others, give serve your client ID: --login-client-id',
  game_unreachable: "Is the service's machine online, and does a firewall let it out?",
  game_limits: "Other programs at the same address may be using Mojang's services too.",
  upstream_key_refused: 'Start serve with a key that is valid there: --upstream-key-file',
  upstream_unreachable: 'Check the other service: skinsmith doctor --base-url <its address>',
  provider_private: 'Allow its network when you start the service: serve --allow-network 10.0.0.0/8',
  provider_unreachable: 'Check --oidc-issuer, and that the service can reach the provider.',
  provider_wrong: "Compare --oidc-issuer with the provider's own address, to the last slash.",
  claim_not_listed:
    'Let the provider send it, through a mapper or with a scope: --oidc-scopes. Some providers send claims that they do not list: then a sign-in ends this warning.',
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

interface Examination {
  readonly setup: Setup;
  /** Aborts when the time limit for all checks has passed. */
  readonly late: AbortSignal;
  readonly signal: AbortSignal;
}

/** Runs all checks at once and yields their findings in order. A check that misses the time limit is a problem. */
export async function* examine(
  checks: Readonly<Record<CheckName, Check>>,
  examination: Examination,
): AsyncGenerator<readonly [CheckName, CheckFinding], void, void> {
  const begun = new Map<CheckName, Promise<CheckFinding>>();
  for (const name of CHECK_NAMES) {
    const finding = (async () =>
      (await missing(checks[name], begun)) ?? (await lookInTime(checks[name], examination)))();
    finding.catch(() => {}); // the error is thrown where the promise is awaited
    begun.set(name, finding);
  }
  for (const [name, finding] of begun) yield [name, await finding];
}

/** Undefined if no check that this one needs has found a problem. */
async function missing(
  { needs }: Check,
  begun: ReadonlyMap<CheckName, Promise<CheckFinding>>,
): Promise<CheckFinding | undefined> {
  for (const need of needs) {
    const result = (await begun.get(need))?.result;
    if (result === 'problem' || result === 'skipped')
      return skipped(`Skipped: see the check of the ${need}.`);
  }
  return undefined;
}

async function lookInTime({ look }: Check, { setup, late, signal }: Examination): Promise<CheckFinding> {
  const over = Promise.withResolvers<CheckFinding>();
  const end = () =>
    over.resolve(problem('The request timed out.', 'Try again; --verbose shows each request.'));
  late.addEventListener('abort', end, { once: true });
  try {
    if (late.aborted) end();
    return await Promise.race([
      look(setup).catch((error: unknown) => problemOf(error, { setup, late, signal })),
      over.promise,
    ]);
  } finally {
    late.removeEventListener('abort', end);
  }
}

/** Converts an error to a finding. An error with no message for users is a bug and is rethrown. */
async function problemOf(error: unknown, { setup, late, signal }: Examination): Promise<CheckFinding> {
  if (signal.aborted) throw error;
  if (late.aborted) return await new Promise(() => {}); // cut short, which is already reported
  const report = reportOf(error, setup.context);
  if (!report) throw error;
  return problem(report.message, report.hint);
}
