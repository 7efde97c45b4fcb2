import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { UserRow } from '../store/tables.ts';
import { PLANS, type Plan, planNamed } from './plans.ts';

/** Who is asking. `owner` is what jobs, skins and usage are kept under. */
export type Caller = AnonymousCaller | UserCaller;

export interface AnonymousCaller {
  readonly kind: 'anonymous';
  readonly owner: string;
  readonly plan: Plan;
}

export interface UserCaller {
  readonly kind: 'user';
  readonly owner: string;
  readonly plan: Plan;
  readonly id: string;
  readonly name: string;
  readonly isOperator: boolean;
}

/**
 * A caller without a key, known by the address it calls from. An IPv6 caller has a whole /64 to call
 * from, so that much counts as one address. The address itself is not kept.
 */
export function anonymousCaller(address: string): AnonymousCaller {
  const place = createHash('sha256').update(networkOf(address)).digest('hex').slice(0, 32);
  return { kind: 'anonymous', owner: `address:${place}`, plan: PLANS.anonymous };
}

export function userCaller(user: UserRow): UserCaller {
  return {
    kind: 'user',
    owner: `user:${user.id}`,
    plan: planNamed(user.plan),
    id: user.id,
    name: user.name,
    isOperator: user.role === 'operator',
  };
}

function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  return isIPv6(address) ? firstFourGroups(address) : address;
}

function firstFourGroups(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
