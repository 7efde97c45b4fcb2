import type { RateLimit } from '../../index.ts';
import { type Check, ok, warning } from './check.ts';

/** The caller's plan, and what is left of its limits. */
export const limitsCheck: Check = {
  needs: ['key'],
  look: async (patient) => {
    const me = await patient.me();
    const { limit } = await patient.rateLimit();
    const plan = me ? (me.grants.plan ?? 'none named') : 'anonymous';
    const left = [
      windowText('minute', limit.minute),
      ...(limit.hour ? [windowText('hour', limit.hour)] : []),
    ];
    const detail = `Plan ${plan}: ${left.join(', ')}.`;
    const isSpent = limit.minute.remaining <= 0 || (limit.hour?.remaining ?? 1) <= 0;
    return isSpent ? warning(detail, 'New skins wait until the limit is over: skinsmith whoami') : ok(detail);
  },
};

function windowText(name: string, { limit, remaining }: RateLimit['limit']['minute']): string {
  return `${Math.max(0, remaining)} of ${limit} skins left this ${name}`;
}
