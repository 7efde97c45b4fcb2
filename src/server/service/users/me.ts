import type { ClientInfo, KeyInfo } from '../../../protocol/me.ts';
import { listKeys } from '../../store/api-keys.ts';
import type { Db } from '../../store/db.ts';
import { type Caller, type CallerKey, callerKey, requireUser, type UserCaller } from '../callers/caller.ts';
import { type Origins, productOf } from '../callers/key-bindings.ts';
import { Refusal } from '../refusals/refusal.ts';

/** The caller as a user, for requests that only make sense for users. @throws Refusal `user_not_found` */
export function requireKnownUser(caller: Caller): UserCaller {
  if (caller.kind === 'user') return caller;
  throw new Refusal('user_not_found');
}

/** The key of the request. @throws Refusal `user_not_found`; `not_found` if the request has no key */
export function readOwnKey(caller: Caller): KeyInfo {
  const user = requireKnownUser(caller);
  if (user.key) return keyInfo(user.key, user);
  throw new Refusal('not_found', 'This is an embedded service: its owner needs no API key.');
}

/** The caller's keys. @throws Refusal `unauthorized` */
export async function readOwnKeys(db: Db, caller: Caller): Promise<KeyInfo[]> {
  const user = requireUser(caller);
  return (await listKeys(db, user.id)).map((row) => keyInfo(callerKey(row), user));
}

/** How the service sees the caller: address, agent, key. The headers that replace User-Agent take precedence. */
export function clientInfo(caller: Caller, { address, origin, agents }: Origins): ClientInfo {
  const user = caller.kind === 'user' ? caller : undefined;
  const agent = agents
    .toReversed()
    .map((text) => productOf(text ?? ''))
    .find((product) => product !== '');
  return {
    ...(agent !== undefined && { agent }),
    ...(origin !== undefined && { origin }),
    ...(user?.key && { key: user.key.id }),
    ...(user && { user: user.id }),
    ip: address,
    billable: false,
  };
}

function keyInfo(
  { id, name, createdAt, allowedOrigins, allowedIps, allowedAgents }: CallerKey,
  user: UserCaller,
): KeyInfo {
  return {
    id,
    name,
    user: user.id,
    createdAt: new Date(createdAt).toISOString(),
    allowedOrigins,
    allowedIps,
    allowedAgents,
    useCredits: false,
  };
}
