import type { Command } from 'commander';
import type { Me, RateLimit } from '../../index.ts';
import type { Deps } from '../deps.ts';
import { exitStatus } from '../exit.ts';
import { connectTelling } from '../outcomes.ts';
import { jsonDocument } from '../output/json.ts';
import { clean, tabRows } from '../output/text.ts';
import type { Runner } from '../runner.ts';

/** JSON output: who the service takes this caller for, and what is left. */
export interface WhoamiView {
  readonly user: string;
  readonly name?: string;
  readonly plan?: string;
  readonly limits: { readonly queue?: number; readonly per_minute?: number; readonly per_hour?: number };
  readonly used: { readonly minute?: number; readonly hour?: number };
  readonly service: string;
}

export function register(command: Command, runner: Runner, run = runWhoami): void {
  command
    .description('Says who you are to the service, your plan, its limits and what is left of them.')
    .action(async () => await runner(run));
}

export async function runWhoami(deps: Deps): Promise<number> {
  const connection = await connectTelling(await deps.settings(), deps);
  const { client, isEmbedded } = connection;
  const me = await client.me({ signal: deps.signal });
  const rateLimit = me.rateLimit ?? (await client.delay({ signal: deps.signal }));
  const view = whoamiView(me, rateLimit, isEmbedded ? 'embedded' : client.baseUrl);
  const { io, flags } = deps;
  if (flags.json) io.out.write(jsonDocument(view));
  else if (io.out.isTTY) io.out.write(whoamiText(view));
  else io.out.write(tabRows(whoamiCells(view)));
  return exitStatus('done');
}

function whoamiView({ user, name, grants }: Me, { limit }: RateLimit, service: string): WhoamiView {
  return {
    user,
    ...(name !== undefined && { name }),
    ...(grants.plan !== undefined && { plan: grants.plan }),
    limits: {
      ...(grants.queue !== undefined && { queue: grants.queue }),
      per_minute: grants.per_minute ?? limit.minute.limit,
      ...(grants.per_hour !== undefined && { per_hour: grants.per_hour }),
    },
    used: { ...used('minute', limit.minute), ...(limit.hour && used('hour', limit.hour)) },
    service,
  };
}

function used(name: 'minute' | 'hour', window: { limit: number; remaining: number }) {
  return { [name]: Math.max(0, window.limit - window.remaining) };
}

function whoamiCells({ user, name, plan, limits, used, service }: WhoamiView): [string, string][] {
  const rows: [string, unknown][] = [
    ['user', user],
    ['name', name],
    ['plan', plan],
    ['queue', limits.queue],
    [
      'per minute',
      limits.per_minute === undefined ? undefined : `${used.minute ?? 0} of ${limits.per_minute}`,
    ],
    ['per hour', limits.per_hour === undefined ? undefined : `${used.hour ?? 0} of ${limits.per_hour}`],
    ['service', service],
  ];
  return rows.flatMap(([label, value]) =>
    value === undefined ? [] : [[label, String(value)] as [string, string]],
  );
}

function whoamiText(view: WhoamiView): string {
  return whoamiCells(view)
    .map(([label, value]) => `${label.padEnd(11)} ${clean(value)}\n`)
    .join('');
}
