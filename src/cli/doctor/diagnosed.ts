import type { HealthFinding } from '../../index.ts';
import { type Finding, skipped } from './check.ts';
import type { NoDiagnosis } from './setup.ts';

const SEVERITY = ['ok', 'warning', 'problem'] as const satisfies readonly HealthFinding['result'][];

/** Hints for the service's own findings. The other findings need none. */
const HINTS: Readonly<Record<string, string>> = {
  store_not_writable: 'Free some disk space, or make the data folder writable.',
  store_unreachable: 'Check that PostgreSQL runs, and that the service can reach it.',
  store_clock: 'Let the clocks of all machines be set by NTP. Jobs and limits go by that of the database.',
  store_pool: 'Give each process more connections: --store-connections',
  store_connections: 'Raise max_connections of PostgreSQL, or lower --store-connections.',
  store_listener: 'If this stays so, see the log of the service; behind a pooler it is always so.',
  store_damaged: 'Restore it from a backup: skinsmith restore',
  store_too_new: 'Restart the service with the newer version.',
  generator_silent: 'See the log of the service.',
  signing_key_unusable: 'Restore signing-key.pem from a backup.',
  no_accounts: 'Link one: skinsmith accounts link',
  no_usable_account: 'See what is wrong with them: skinsmith accounts list',
  accounts_need_care: 'See what is wrong with them: skinsmith accounts list',
  no_client_id:
    'Accounts linked with a game token expire within a day. For others, give serve your client ID: --login-client-id',
  game_unreachable: "Is the service's machine online, and does a firewall let it out?",
  game_limits: 'Other programs at the same address may use the services of the game too.',
  upstream_key_refused: 'Start serve with the key that is valid there: --upstream-key-file',
  upstream_unreachable: 'Check the other service: skinsmith doctor --base-url <its address>',
  upstream_wait: 'Check the other service: skinsmith doctor --base-url <its address>',
};

/** Merges several findings of the service: the result is that of the worst, which comes first. */
export function summary(findings: readonly HealthFinding[]): Finding {
  const worstFirst = findings.toSorted((a, b) => SEVERITY.indexOf(b.result) - SEVERITY.indexOf(a.result));
  const [worst] = worstFirst;
  if (!worst) return skipped('There is nothing to check.');
  const detail = worstFirst.map(({ message }) => message).join(' ');
  return { result: worst.result, detail, hint: HINTS[worst.code] };
}

const WHY = {
  not_skinsmith: 'Only a skinsmith service reports its state.',
  not_operator: 'Only the operator of the service may see that.',
} satisfies Record<NoDiagnosis, string>;

export function notDiagnosed(why: NoDiagnosis): Finding {
  return skipped(WHY[why]);
}
