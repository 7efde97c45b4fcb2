import type { Scope } from '../../../protocol/api-key.ts';
import { isWithin } from '../callers/key-bindings.ts';

/** What a key may do, and from where. An empty list allows everything. */
export interface KeyPower {
  readonly scopes: readonly Scope[];
  readonly allowedIps: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly allowedAgents: readonly string[];
}

/** Whether a key has no scope that the other key lacks, and is usable nowhere that the other key is not. */
export function isNoStronger(key: KeyPower, other: KeyPower): boolean {
  return (
    key.scopes.every((scope) => other.scopes.includes(scope)) &&
    isAsBound(key.allowedIps, other.allowedIps, isWithin) &&
    isAsBound(key.allowedOrigins, other.allowedOrigins) &&
    isAsBound(key.allowedAgents, other.allowedAgents)
  );
}

export function isBound({ allowedIps, allowedOrigins, allowedAgents }: Omit<KeyPower, 'scopes'>): boolean {
  return [allowedIps, allowedOrigins, allowedAgents].some((places) => places.length > 0);
}

function isAsBound(
  places: readonly string[],
  others: readonly string[],
  isInside = (place: string, other: string) => place === other,
): boolean {
  if (others.length === 0) return true;
  return places.length > 0 && places.every((place) => others.some((other) => isInside(place, other)));
}
