import { SCOPES, type Scope } from '../../../protocol/api-key.ts';
import { Refusal } from '../refusals/refusal.ts';
import type { Caller } from './caller.ts';

/** Default scopes of a key that is bound to places or programs: others may hold it too. */
const FOR_BOUND_KEYS: readonly Scope[] = ['read', 'generate', 'skins'];

/** Default scopes of a new key. */
export function usualScopes({ isBound, isOperator }: { isBound: boolean; isOperator: boolean }): Scope[] {
  if (isBound) return [...FOR_BOUND_KEYS];
  return SCOPES.filter((scope) => isOperator || scope !== 'operator');
}

/** Whether the caller's key has the scope. Without a key, nothing narrows what the caller may do. */
export function hasScope(caller: Caller, scope: Scope): boolean {
  if (caller.kind === 'anonymous' || caller.key === undefined) return true;
  return caller.key.scopes.includes(scope);
}

/** @throws Refusal `insufficient_grants` when the caller's key has none of the scopes */
export function requireScope(caller: Caller, ...scopes: readonly Scope[]): void {
  if (scopes.some((scope) => hasScope(caller, scope))) return;
  throw new Refusal('insufficient_grants', `This API key does not have the scope ${scopes.join(' or ')}.`);
}
