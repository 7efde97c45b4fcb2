import { GameError } from '../../../game/errors.ts';
import type { GameHttp, GameRequest } from '../../../game/http.ts';
import type { HealthFinding } from '../../../protocol/diagnosis.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { freeAt } from '../../accounts/availability.ts';
import type { AccountRules } from '../../accounts/rules.ts';
import { listAccounts } from '../../store/accounts.ts';
import type { AccountRow } from '../../store/schema/account-tables.ts';

/** The state of the linked accounts, and whether the game's services answer. */
export async function accountsHealth(
  { pool, linking }: Accounts,
  signal: AbortSignal,
): Promise<readonly HealthFinding[]> {
  const { db, rules, clock, game } = pool.context;
  const accounts = await listAccounts(db);
  return [
    standingOf(accounts, rules, clock.now()),
    linking.canSignIn
      ? { code: 'client_id', result: 'ok', message: 'The service has a client ID for linking accounts.' }
      : {
          code: 'no_client_id',
          result: 'warning',
          message: 'The service has no client ID for linking accounts.',
        },
    await gameFinding(game.http, accounts[0] ?? ANYBODY, signal),
  ];
}

type Standing = 'ready' | 'in use' | 'resting' | 'paused' | 'suspended' | 'tired' | 'to be linked again';
/** States of an account that need someone's attention. */
const NEEDS_CARE: ReadonlySet<Standing> = new Set(['suspended', 'tired', 'to be linked again']);

function standingOf(accounts: readonly AccountRow[], rules: AccountRules, now: number): HealthFinding {
  if (accounts.length === 0) {
    return { code: 'no_accounts', result: 'problem', message: 'No game account is linked.' };
  }
  const standings = accounts.map((account) => standing(account, rules, now));
  const counts = [...Map.groupBy(standings, (name) => name)].map(([name, all]) => `${all.length} ${name}`);
  const plural = accounts.length === 1 ? '' : 's';
  const message = `${accounts.length} game account${plural} linked: ${counts.join(', ')}.`;
  if (!accounts.some((account) => freeAt(account, rules, now) !== undefined)) {
    return { code: 'no_usable_account', result: 'problem', message };
  }
  const isWell = !standings.some((name) => NEEDS_CARE.has(name));
  return isWell
    ? { code: 'accounts', result: 'ok', message }
    : { code: 'accounts_need_care', result: 'warning', message };
}

function standing(account: AccountRow, { maxStreak }: AccountRules, now: number): Standing {
  if (account.state === 'needs_login') return 'to be linked again';
  if (account.state !== 'active') return account.state;
  if (account.error_streak >= maxStreak) return 'tired';
  if (account.cool_until > now) return 'resting';
  return account.lease_owner === null ? 'ready' : 'in use';
}

/** The player need not exist: any answer shows that the service works. */
const ANYBODY = { uuid: 'f'.repeat(32), name: 'skinsmith' };

/** Looks up a player, which costs no account anything. "No such player" is an answer as well. */
async function gameFinding(
  http: GameHttp,
  { uuid, name }: Pick<AccountRow, 'uuid' | 'name'>,
  signal: AbortSignal,
): Promise<HealthFinding> {
  const ask = async (request: GameRequest) => await http.send({ ...request, answers: [400, 404], signal });
  try {
    await Promise.all([
      ask({ service: 'session', path: `/session/minecraft/profile/${uuid}` }),
      ask({ service: 'names', path: `/minecraft/profile/lookup/name/${name}` }),
    ]);
    return { code: 'game', result: 'ok', message: "The game's services answer." };
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    const { kind, message } = error;
    if (kind === 'rate_limited') return { code: 'game_limits', result: 'warning', message };
    return { code: 'game_unreachable', result: 'problem', message };
  }
}
