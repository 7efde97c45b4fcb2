import { Option } from 'commander';
import { REPORT_REASONS, type Report, type ReportInput } from '../../protocol/moderation.ts';

import { type CommandContext, type CommandModule, connectWithProgress } from '../context/context.ts';
import { usageError } from '../errors/exit.ts';
import { forService } from '../errors/service-hints.ts';
import { listOf, verifyUuids, withAccount } from '../nouns.ts';
import { nonEmptyWords } from '../options/option-values.ts';
import { doneViews, fieldColumns, printRows, type Table, tableOutput } from '../output/described.ts';
import { ago, jsonDocument } from '../text/text.ts';

/** A report; as elsewhere, `texture` would be an object. */
type ReportView = Omit<Report, 'texture'> & { readonly hash?: string | undefined };

const TABLE: Table<Report, ReportView> = {
  columns: {
    ...fieldColumns<Report>('id', 'skin', 'reason', 'createdAt', 'closedAt', 'visibility', 'name', 'text'),
    ...fieldColumns<Report>('set'),
  },
  fields: {
    id: 'number of the report',
    skin: 'UUID of the skin; absent if the report is about a set',
    set: 'UUID of the set; absent if the report is about a skin',
    name: 'name of the skin or set; absent if it has none or only its owner sees it',
    hash: 'hash of the texture of the skin; absent if there is none or only its owner sees it',
    tags: 'tags of the skin; absent if there is none or only its owner sees it',
    visibility: 'current visibility; absent if it was deleted',
    hidden: 'whether an operator has hidden it',
    owner: 'name of the owner; absent if a caller without a key made the skin, or if the skin was deleted',
    reason: 'offensive, copyright, personal or other',
    text: 'what the reporter wrote',
    reporter: 'name of the user who sent the report; absent if it was someone without a key',
    reports: 'number of reports about it',
    createdAt: 'when it was reported',
    closedAt: 'when an operator decided; absent: the report is open',
  },
  shown: {
    ID: 'id',
    ABOUT: ({ skin, set = '' }) => skin ?? `set ${set}`,
    REPORTED: ({ createdAt }, now) => ago(createdAt, now),
    STATE: ({ hidden, visibility }) => (hidden ? 'hidden' : (visibility ?? 'deleted')),
    REASON: 'reason',
    TEXT: 'text',
  },
  view: ({ texture, ...report }): ReportView => ({ ...report, hash: texture }),
};

interface TypedStatus {
  readonly status?: 'open' | 'closed';
}

export const reportsList = {
  description: 'List reports of skins and sets, newest first (operators only).',
  examples: {
    'List open reports, newest first': 'skinsmith reports list',
    'List reports that were decided': 'skinsmith reports list --status closed',
  },
  ...listOf(TABLE, {
    what: 'reports',
    usual: 100,
    none: ({ status = 'open' }: TypedStatus) => `No ${status} reports.`,
    declare: (command) =>
      command.addOption(
        new Option('--status <status>', 'which reports to list (default: open)').choices(['open', 'closed']),
      ),
    read: ({ account, call }, page, { status = 'open' }: TypedStatus) =>
      account.moderation.reports({ ...page, state: status }, call),
  }),
} satisfies CommandModule;

const REPORTED = doneViews('uuid', 'UUID of the skin or set', 'reported');
export const reportsCreate = {
  description: 'Report a skin or a set to the operators of a skinsmith service. No API key is needed.',
  examples: {
    'Report a skin': 'skinsmith reports create SKIN --reason offensive',
    'Say more about it': 'skinsmith reports create SKIN --reason copyright --text "I drew it"',
    'Report a set of skins': 'skinsmith reports create SET --set --reason offensive',
  },
  output: [{ json: { shape: 'object', fields: REPORTED.fields } }],
  declare: (command) =>
    command
      .argument('<uuid>', 'UUID of the skin, or of the set')
      .option('--set', 'the UUID is that of a set')
      .addOption(
        new Option('--reason <reason>', 'what is wrong').choices(REPORT_REASONS).makeOptionMandatory(),
      )
      .option('--text <text>', 'details (at most 500 characters)'),
  async run(
    uuid: string,
    { set: isSet, ...report }: ReportInput & { readonly set?: boolean },
    context: CommandContext,
  ): Promise<void> {
    verifyUuids([uuid], context, isSet ? 'set' : 'skin');
    const { client } = await connectWithProgress(await context.settings(), context);
    const { signal } = context;
    if (isSet) await client.account.sets.report(uuid, report, { signal });
    else await client.reportSkin(uuid, report, { signal });
    context.messages.say('Report sent.');
    if (context.flags.json) context.io.out.write(jsonDocument(REPORTED.view(uuid)));
  },
} satisfies CommandModule;

export const reportsClose = {
  description: 'Close reports and leave the skins as they are (operators only).',
  examples: {
    'Close a report and leave the skin as it is': 'skinsmith reports close 1',
    'Say why, for the log': 'skinsmith reports close 1 --note "nothing wrong with it"',
  },
  output: [tableOutput('list', TABLE)],
  declare: (command) =>
    command
      .argument('<report...>', 'report numbers, as printed by reports list', nonEmptyWords)
      .option('--note <text>', 'reason, for the log'),
  async run(
    ids: readonly string[],
    decision: { readonly note?: string },
    context: CommandContext,
  ): Promise<void> {
    verifyNumbers(ids, context);
    const closed = await withAccount(context, ({ moderation }, call) =>
      Array.fromAsync(ids, (id) => moderation.closeReport(id, decision, call)),
    );
    await printRows(closed, TABLE, context, '');
  },
} satisfies CommandModule;

/** @throws CliError when one of them is not the number of a report */
function verifyNumbers(ids: readonly string[], context: CommandContext): void {
  const wrong = ids.find((id) => !/^[1-9]\d{0,14}$/.test(id));
  if (wrong === undefined) return;
  const hint = `List the reports: ${forService('skinsmith reports list', context)}`;
  throw usageError('not_a_report', `${wrong} is not the number of a report.`, hint);
}
