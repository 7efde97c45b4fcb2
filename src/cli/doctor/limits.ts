import type { RateLimit } from '../../index.ts';
import { forService, namingOf } from '../errors/service-hints.ts';
import { type Check, ok, warning } from './check.ts';

type Window = NonNullable<NonNullable<RateLimit['limit']>['minute']>;

/** Checks the caller's plan and remaining limits. */
export const limitsCheck: Check = {
  needs: ['key'],
  look: async (setup) => {
    const me = await setup.me();
    const { limit } = await setup.rateLimit();
    const plan = me ? (me.grants.plan ?? 'unknown') : 'anonymous';
    const { minute = limit, hour } = limit ?? {};
    const windows = [leftOf('minute', minute), leftOf('hour', hour)].filter((window) => window !== undefined);
    const left = windows.length === 0 ? 'no limits reported' : windows.map(({ text }) => text).join(', ');
    const detail = `Plan ${plan}: ${left}.`;
    if (windows.every(({ isSpent }) => !isSpent)) return ok(detail);
    return warning(
      detail,
      `New skins wait until the limit resets: ${forService('skinsmith whoami', namingOf(setup.context))}`,
    );
  },
};

/** Undefined if the service reports no such limit. */
function leftOf(
  name: string,
  { limit = 0, remaining }: Window = {},
): { text: string; isSpent: boolean } | undefined {
  if (limit <= 0 || remaining === undefined) return undefined;
  const text = `${Math.max(0, remaining)} of ${limit} skins left this ${name}`;
  return { text, isSpent: remaining <= 0 };
}
