import type { Command } from 'commander';
import { isPending, type Me, type RateLimit, ServiceError, type SkinClient } from '../../index.ts';
import type { Deps } from '../deps.ts';
import { CliError, exitStatus } from '../exit.ts';
import { connectTelling } from '../outcomes.ts';
import { jsonDocument } from '../output/json.ts';
import { clean, tabRows } from '../output/text.ts';
import type { Runner } from '../runner.ts';

/** Unfinished jobs, and generations in this minute and this hour. */
interface Spending {
  readonly queue?: number;
  readonly minute?: number;
  readonly hour?: number;
}

/** JSON output: who the service takes this caller for, and what is left. */
export interface WhoamiView {
  readonly user: string;
  readonly name?: string;
  readonly plan?: string;
  readonly limits: { readonly queue?: number; readonly per_minute?: number; readonly per_hour?: number };
  readonly used: Spending;
  readonly left: Spending;
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
  const me = await askWho(client, deps.signal);
  const rateLimit = me.rateLimit ?? (await client.delay({ signal: deps.signal }));
  const jobs = await client.jobs({ signal: deps.signal });
  const pending = jobs.filter(({ status }) => isPending(status)).length;
  const view = whoamiView(me, { rateLimit, pending }, isEmbedded ? 'embedded' : client.baseUrl);
  const { io, flags } = deps;
  if (flags.json) io.out.write(jsonDocument(view));
  else if (io.out.isTTY) io.out.write(whoamiText(view));
  else io.out.write(tabRows(whoamiCells(view)));
  return exitStatus('done');
}

/** @throws CliError for a caller without a key, whom the service does not know. */
async function askWho(client: SkinClient, signal: AbortSignal): Promise<Me> {
  try {
    return await client.me({ signal });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'user_not_found') throw error;
    throw new CliError(error.code, `You are nobody to ${client.baseUrl}: it was sent no key.`, {
      hint: 'Sign in first: skinsmith login',
      exit: 'notAllowed',
      cause: error,
    });
  }
}

function whoamiView(
  { user, name, grants }: Me,
  { rateLimit: { limit }, pending }: { rateLimit: RateLimit; pending: number },
  service: string,
): WhoamiView {
  const { minute, hour } = limit;
  return {
    user,
    ...(name !== undefined && { name }),
    ...(grants.plan !== undefined && { plan: grants.plan }),
    limits: {
      ...(grants.queue !== undefined && { queue: grants.queue }),
      per_minute: grants.per_minute ?? minute.limit,
      ...(grants.per_hour !== undefined && { per_hour: grants.per_hour }),
    },
    used: { queue: pending, minute: usedOf(minute), ...(hour && { hour: usedOf(hour) }) },
    left: {
      ...(grants.queue !== undefined && { queue: Math.max(0, grants.queue - pending) }),
      minute: minute.remaining,
      ...(hour && { hour: hour.remaining }),
    },
    service,
  };
}

function usedOf({ limit, remaining }: { limit: number; remaining: number }): number {
  return Math.max(0, limit - remaining);
}

function whoamiCells({ user, name, plan, limits, used, left, service }: WhoamiView): [string, string][] {
  const rows: [string, string | undefined][] = [
    ['user', user],
    ['name', name],
    ['plan', plan],
    ['queue', spent(used.queue, limits.queue, left.queue)],
    ['per minute', spent(used.minute, limits.per_minute, left.minute)],
    ['per hour', spent(used.hour, limits.per_hour, left.hour)],
    ['service', service],
  ];
  return rows.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as [string, string]]));
}

function spent(used = 0, limit?: number, left?: number): string | undefined {
  if (limit === undefined) return undefined;
  return `${used} of ${limit}${left === undefined ? '' : `, ${left} left`}`;
}

function whoamiText(view: WhoamiView): string {
  return whoamiCells(view)
    .map(([label, value]) => `${label.padEnd(11)} ${clean(value)}\n`)
    .join('');
}
