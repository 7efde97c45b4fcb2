import { z } from 'zod';
import { askOnce } from '../connection/connect.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { CliError } from '../errors/exit.ts';
import { columnRows, type Fields, fieldColumns } from '../output/described.ts';
import { clean, jsonDocument } from '../text/text.ts';

interface HealthView {
  readonly status: string;
  readonly version: string;
  readonly service: string;
}

const FIELDS: Fields<HealthView> = {
  status: 'ok',
  version: 'version of the service',
  service: 'address of the service',
};

const COLUMNS = fieldColumns<HealthView>('status', 'version', 'service');

/** Where `serve` listens if nothing else is set. */
const HERE = 'http://127.0.0.1:7546';

export const health = {
  description:
    'Check whether a service is alive.\n' +
    `Checks the configured service, or else the one on this machine (${HERE}). It needs no API key. ` +
    'The exit status is 0 if the service is healthy, and 75 if it is not or does not respond.',
  examples: {
    'Check a service, for example from a monitoring script':
      'skinsmith health --base-url https://skins.example.org',
    'Also print its version, as JSON': 'skinsmith health --base-url https://skins.example.org --json',
  },
  output: [{ columns: COLUMNS, json: { shape: 'object', fields: FIELDS } }],
  run: runHealth,
} satisfies CommandModule;

const answerSchema = z.object({ status: z.string(), version: z.string() });

export async function runHealth(context: CommandContext): Promise<void> {
  const { io, flags } = context;
  const service = (await context.settings())['base-url'] ?? HERE;
  const { status, json } = await askOnce(new URL(`${service}/health`), 'unhealthy', context);
  const { data } = answerSchema.safeParse(json);
  if (status !== 200 || !data) throw unwell(service, data?.status ?? `status ${status}`);
  const view = { ...data, service } satisfies HealthView;
  io.out.write(flags.json ? jsonDocument(view) : columnRows(COLUMNS, [view]));
}

function unwell(service: string, said: string): CliError {
  return new CliError('unhealthy', `${service} is not healthy: ${clean(said)}.`, {
    exit: 'tryLater',
    hint: 'Its log says why; an operator sees more with: skinsmith doctor',
  });
}
