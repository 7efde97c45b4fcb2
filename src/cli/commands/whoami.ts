import { EMBEDDED } from '../../batch/model.ts';
import {
  isPending,
  type Me,
  type RateLimit,
  ServiceError,
  type SkinClient,
  UnreadableAnswerError,
} from '../../index.ts';
import type { Connection } from '../connection/connect.ts';
import { connectWithProgress } from '../connection/connector.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { CliError, exitStatus } from '../errors/exit.ts';
import { namingOf, signInHint } from '../errors/service-hints.ts';
import { type Columns, columnRows, type Fields } from '../output/described.ts';
import { clean, jsonDocument } from '../text/text.ts';

/** Unfinished jobs, and generations in the current minute and hour. */
interface Spending {
  readonly queue?: number;
  readonly minute?: number;
  readonly hour?: number;
}

/** JSON output: the caller as the service identifies it, and the remaining limits. */
export interface WhoamiView {
  readonly user?: string;
  readonly name?: string;
  readonly plan?: string;
  readonly limits: { readonly queue?: number; readonly per_minute?: number; readonly per_hour?: number };
  readonly used: Spending;
  readonly left: Spending;
  readonly service: string;
}

const SPENDING = {
  queue: 'unfinished jobs',
  minute: 'skins in the current minute',
  hour: 'skins in the current hour',
};

const FIELDS: Fields<WhoamiView> = {
  user: 'UUID of the user',
  name: 'name of the user',
  plan: 'plan of the user',
  limits: {
    about: 'limits; absent if the service reports none',
    fields: {
      queue: 'unfinished jobs at once',
      per_minute: 'skins in a minute',
      per_hour: 'skins in an hour',
    },
  },
  used: { about: 'the part of the limits that is used', fields: SPENDING },
  left: { about: 'the part of the limits that is left', fields: SPENDING },
  service: 'address of the service, or embedded',
};

const COLUMNS = {
  label: ([label]) => label,
  text: ([, text]) => text,
} satisfies Columns<readonly [label: string, text: string]>;

export const whoami = {
  description: 'Show your user, your plan and what is left of its limits.',
  examples: [
    ['Show your plan and limits', 'skinsmith whoami'],
    ['Print them as JSON for a script', 'skinsmith whoami --json'],
  ],
  output: [
    {
      columns: COLUMNS,
      columnMeanings: {
        label: 'user, name, plan, queue, per minute, per hour or service',
        text: 'the value of that',
      },
      json: { shape: 'object', fields: FIELDS },
    },
  ],

  run: runWhoami,
} satisfies CommandModule;

export async function runWhoami(context: CommandContext): Promise<number> {
  const connection = await connectWithProgress(await context.settings(), context);
  const { client, isEmbedded } = connection;
  const me = await askWho(connection, context);
  const rateLimit = me.rateLimit ?? (await askLimits(client, context.signal));
  const jobs = await client.jobs({ signal: context.signal });
  const pending = jobs.filter(({ status }) => isPending(status)).length;
  const view = whoamiView(me, { rateLimit, pending }, isEmbedded ? EMBEDDED : client.baseUrl);
  const { io, flags } = context;
  if (flags.json) io.out.write(jsonDocument(view));
  else if (io.out.isTTY) io.out.write(whoamiText(view));
  else io.out.write(columnRows(COLUMNS, whoamiCells(view)));
  return exitStatus('done');
}

/** @throws CliError for a caller without a key, whom the service cannot identify */
async function askWho({ client, hasKey }: Connection, context: CommandContext): Promise<Me> {
  try {
    return await client.me({ signal: context.signal });
  } catch (error) {
    if (hasKey || !(error instanceof ServiceError) || error.code !== 'user_not_found') throw error;
    throw new CliError(error.code, `${client.baseUrl} does not know who you are: no key was sent.`, {
      hint: signInHint(namingOf(context)),
      exit: 'notAllowed',
      cause: error,
    });
  }
}

/** Limits are optional: a service without GET /v2/delay still has a user to report. */
async function askLimits(client: SkinClient, signal: AbortSignal): Promise<RateLimit> {
  try {
    return await client.delay({ signal });
  } catch (error) {
    if (error instanceof ServiceError || error instanceof UnreadableAnswerError) return {};
    throw error;
  }
}

function whoamiView(
  { user, name, grants }: Me,
  { rateLimit: { limit }, pending }: { rateLimit: RateLimit; pending: number },
  service: string,
): WhoamiView {
  const minute = knownWindow(limit?.minute ?? limit);
  const hour = knownWindow(limit?.hour);
  const { queue, per_minute = minute?.limit, per_hour = hour?.limit, plan } = grants;
  return {
    ...(user !== undefined && { user }),
    ...(name !== undefined && { name }),
    ...(plan !== undefined && { plan }),
    limits: {
      ...(queue !== undefined && { queue }),
      ...(per_minute !== undefined && { per_minute }),
      ...(per_hour !== undefined && { per_hour }),
    },
    used: { queue: pending, ...(minute && { minute: minute.used }), ...(hour && { hour: hour.used }) },
    left: {
      ...(queue !== undefined && { queue: Math.max(0, queue - pending) }),
      ...(minute && { minute: minute.remaining }),
      ...(hour && { hour: hour.remaining }),
    },
    service,
  };
}

type Window = NonNullable<NonNullable<RateLimit['limit']>['minute']>;

/** Undefined when there is no such limit. The hosted service reports an hourly limit of 0, which means no limit. */
function knownWindow({ limit = 0, remaining }: Window = {}): Required<Omit<Window, 'reset'>> | undefined {
  if (limit <= 0 || remaining === undefined) return undefined;
  return { limit, remaining: Math.max(0, remaining), used: Math.max(0, limit - remaining) };
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

/** The limits of an embedded service are too high to matter, so their figures would only puzzle people. */
function whoamiText(view: WhoamiView): string {
  const isEmbedded = view.service === EMBEDDED;
  const cells = whoamiCells(isEmbedded ? { ...view, limits: {} } : view);
  if (isEmbedded) cells.splice(-1, 0, ['limits', 'none in practice']);
  return cells.map(([label, value]) => `${label.padEnd(11)} ${clean(value)}\n`).join('');
}
