import type { OpenIdProvider } from '../openid/provider.ts';
import { makeGuardedAgent } from '../outbound/guarded-agent.ts';
import { outboundPolicy } from '../outbound/policy.ts';
import { signInKey } from '../service/openid/sign-in.ts';
import { PLANS, type Plans } from '../service/plans.ts';
import type { Basis } from './basis.ts';
import type { Releases } from './releases.ts';
import type { ServerOptions } from './server-options.ts';

/** The provider that people sign in with; undefined if there is none. Sends no request yet. */
export async function openProvider(
  { openId: settings, ...options }: ServerOptions & { readonly plans: Plans },
  { clock, db }: Basis,
  releases: Releases,
): Promise<OpenIdProvider | undefined> {
  if (!settings) return undefined;
  const { networks, ports } = outboundPolicy(options);
  // The operator has named the issuer, so its port is no stranger's choice.
  const own = Number(new URL(settings.issuer).port);
  const policy = { networks, ports: own === 0 ? ports : [...ports, own] };
  const agent = makeGuardedAgent({ policy, proxies: options.proxies });
  releases.add(() => agent.close());
  const { OpenIdProvider } = await import('../openid/provider.ts');
  return new OpenIdProvider({
    ...{ settings, agent, clock },
    // That of the person who runs the service is nobody else's.
    knowsPlan: (name) => name !== PLANS.owner.name && options.plans.has(name),
    readKey: async () => await signInKey(db),
  });
}
