import { Option } from 'commander';
import type { Conformance, Judgement, Plan } from '../../conformance/run.ts';
import { readProxies, verifyProxies } from '../config/network-settings.ts';
import type { Settings } from '../config/settings.ts';
import { allowsInsecureHttp, keyFor, makeTextureGuard } from '../connection/connect.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { exitStatus, usageError } from '../errors/exit.ts';
import { nonEmpty, wholeDuration, wholeNumber } from '../options/option-values.ts';
import { type Columns, columnRows, type Fields, fieldColumns } from '../output/described.ts';
import { OutputGuard, startOf } from '../output/output-guard.ts';
import { markupData, markupText } from '../output/reports/report.ts';
import { type Colors, colorsFor, widthOf } from '../terminal/io.ts';
import { readSecretFile } from '../terminal/read-input.ts';
import { clean, hanging, jsonDocument } from '../text/text.ts';

interface ConformanceOptions {
  readonly only?: string;
  readonly generations?: number;
  readonly pause?: number;
  readonly keyFile?: string;
  /** False: no key is sent. */
  readonly key?: boolean;
  readonly junit?: string;
  readonly overwrite?: boolean;
}

type CheckView = ReturnType<typeof viewOf>;

/** New skins that a run makes unless the user says otherwise: one for each slot of a user. */
const GENERATIONS = 5;
const MOST_GENERATIONS = 100;
/** Milliseconds from one request to the next. */
const PAUSE = 200;
const LONGEST_PAUSE = 60_000;

const COLUMNS = {
  ...fieldColumns<CheckView>('verdict', 'check', 'judges'),
  detail: detailOf,
} satisfies Columns<CheckView>;

const VERDICTS = 'pass, differs, absent (the server does not offer it) or untried';
const CHECK_FIELDS = {
  check: 'stable name of the check',
  verdict: VERDICTS,
  judges: 'the sentence that it judges',
  statements: 'numbers of the sentences of the specification that it covers',
  expected: 'the request, and the answer that was expected; only with differs',
  seen: 'what the server answered; only with differs',
  sent: 'the request as a command line of curl, without the key; only with differs',
  reason: 'why it is absent or untried, or a remark on a check that passed',
} satisfies Fields<CheckView>;
const FIELDS: Fields<ReturnType<typeof reportView>> = {
  service: 'address of the server',
  counts: {
    about: 'number of checks by verdict',
    fields: { pass: 'as expected', differs: 'otherwise', absent: 'not offered', untried: 'unknown' },
  },
  made: 'skins that were submitted',
  stays: 'what could not be deleted, in words',
  checks: { about: 'all checks, in their order', fields: CHECK_FIELDS },
};

export const conformance = {
  description:
    'Test whether a server implements the API correctly.\n' +
    'Sends a server the requests of a well-behaved client and checks every answer against the API. ' +
    'It makes skins only with --only write, or --only and a check that needs them. ' +
    'The exit status is 1 if an answer differs from the API.',
  examples: {
    'Check a server without changing anything': 'skinsmith conformance --base-url https://skins.example.org',
    'Also make five skins there, and delete them':
      'skinsmith conformance --only write --base-url https://skins.example.org --junit conformance.xml',
  },
  output: [
    {
      columns: COLUMNS,
      columnMeanings: {
        verdict: CHECK_FIELDS.verdict,
        check: CHECK_FIELDS.check,
        judges: CHECK_FIELDS.judges,
        detail: 'what was expected and what was seen, or the reason',
      },
      json: { shape: 'object', fields: FIELDS },
    },
  ],
  declare: (command) =>
    command
      .addOption(
        new Option(
          '--only <part>',
          'read: GET requests only, makes no skins; write: make skins, check them, and delete them; or the name of a check (default: read)',
        ),
      )
      .option(
        '--generations <number>',
        `maximum number of new skins with --only write (default: ${GENERATIONS})`,
        wholeNumber(0, MOST_GENERATIONS),
      )
      .option(
        '--pause <duration>',
        `pause between two requests (default: ${PAUSE}ms)`,
        wholeDuration('ms', 0, LONGEST_PAUSE, '200ms'),
      )
      .addOption(
        new Option('--key-file <file>', 'file with the API key for the server, - for stdin')
          .argParser(nonEmpty)
          .conflicts('key'),
      )
      .option('--no-key', 'send no API key: skins that are made then stay')
      .option('--junit <file>', 'also write the report as JUnit XML', nonEmpty)
      .option('--overwrite', 'replace a file that skinsmith did not write'),
  run: runConformance,
} satisfies CommandModule;

export async function runConformance(options: ConformanceOptions, context: CommandContext): Promise<number> {
  const report = junitFile(options);
  const plan = await readPlan(options);
  const { run, textures } = await openRun({ ...options, plan }, context);
  const views: CheckView[] = [];
  const colors = await colorsFor(context.io.out);
  let stays: readonly string[] = [];
  try {
    announce(run, plan, context);
    for await (const judgement of run.judge()) {
      const view = viewOf(judgement);
      views.push(view);
      if (!context.flags.json) print(view, context, colors);
    }
  } finally {
    stays = await run.making.cleanUp();
    for (const one of stays) await context.messages.warn(`This stays at ${run.session.baseUrl}: ${one}.`);
    await Promise.all([run.session.close(), textures.close()]);
  }
  report?.(junitText(views, run.session.baseUrl));
  const view = reportView(views, run, stays);
  if (context.flags.json) context.io.out.write(jsonDocument(view));
  const { pass, differs, absent, untried } = view.counts;
  context.messages.say(
    `Passed: ${pass}, differs: ${differs}, not there: ${absent}, could not be tried: ${untried}.`,
  );
  if (options.only === undefined) await context.messages.note('To check more, by making skins: --only write');
  return exitStatus(differs > 0 ? 'failed' : 'done');
}

type PlannedOptions = ConformanceOptions & { readonly plan: Plan };

/** What the options ask for. @throws CliError */
async function readPlan({ only = 'read', generations }: ConformanceOptions): Promise<Plan> {
  const { CHECKS, planOf } = await import('../../conformance/run.ts');
  const plan = planOf(only);
  if (!plan) {
    const names = new Set(Object.values(CHECKS).flatMap((checks) => checks.map(({ id }) => id)));
    throw usageError(
      'unknown_check',
      `No check is named ${only}.`,
      `Name read, write or a check: ${[...names].join(', ')}`,
    );
  }
  if (generations !== undefined && !plan.writes)
    throw usageError('conflicting_options', '--generations needs --only write, or a check that makes skins.');
  return plan;
}

/** The server to judge, and the key for it. @throws CliError */
async function readServer(
  { plan, keyFile, key }: PlannedOptions,
  settings: Settings,
  context: CommandContext,
): Promise<{ readonly baseUrl: string; readonly apiKey: string | undefined }> {
  const baseUrl = context.flags.local ? undefined : settings['base-url'];
  if (baseUrl === undefined)
    throw usageError(
      'no_service',
      'No server is named.',
      'Name it: skinsmith conformance --base-url https://skins.example.org',
    );
  const apiKey = key === false ? undefined : await keyToUse(baseUrl, keyFile, context);
  if (plan.writes && apiKey === undefined && key !== false)
    throw usageError(
      'no_key',
      'Without an API key, the skins that are made cannot be deleted: nothing was sent.',
      'Name a key: --key-file FILE. If the skins may stay: --no-key',
    );
  return { baseUrl, apiKey };
}

async function openRun(
  options: PlannedOptions,
  context: CommandContext,
): Promise<{ readonly run: Conformance; readonly textures: ReturnType<typeof makeTextureGuard> }> {
  const { plan, generations = GENERATIONS, pause = PAUSE } = options;
  const { env, flags, clock, signal, messages } = context;
  const settings = await context.settings();
  const { baseUrl, apiKey } = await readServer(options, settings, context);
  const proxies = readProxies(env);
  verifyProxies(proxies, baseUrl);
  const textures = makeTextureGuard({ service: baseUrl, proxies, allowed: settings['allow-network'] });
  const { keys } = await context.game();
  const { openConformance } = await import('../../conformance/run.ts');
  const run = openConformance({
    ...{ baseUrl, apiKey, clock, signal, generations, plan, pause, textures },
    isGames: async ({ value, signature }) => await keys.haveSigned(value, signature),
    insecureHttp: allowsInsecureHttp({ flags, env }),
    dispatcher: await context.proxied(),
    ...(flags.verbose && {
      onAnswer: ({ request, status }, milliseconds) => {
        const [method = '', path = ''] = request.split(' ');
        messages.request({ method, path, status, milliseconds } as Parameters<typeof messages.request>[0]);
      },
    }),
  });
  return { run, textures };
}

/** From the file, or as for all commands. @throws CliError */
async function keyToUse(
  baseUrl: string,
  keyFile: string | undefined,
  context: CommandContext,
): Promise<string | undefined> {
  if (keyFile === undefined) return await keyFor(baseUrl, context);
  const key = (await readSecretFile(keyFile, 'key', context)).trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw usageError('not_a_key', `${keyFile} does not contain an API key, which is a single word.`);
}

/** Says before the first request what the run is going to do. */
function announce({ session, making }: Conformance, { writes }: Plan, { messages }: CommandContext): void {
  if (!writes) {
    messages.say(`Judging ${session.baseUrl} by GET requests, which make no skin.`);
    return;
  }
  messages.say(
    `Judging ${session.baseUrl}: makes up to ${making.budget} skins there, which are unlisted, named ` +
      `${making.prefix}-…, and deleted at the end. Invalid submissions and one to a full queue must be refused: ` +
      'only a faulty server makes a skin of them.',
  );
  if (!session.hasKey) messages.say('Without an API key, what it makes cannot be deleted.');
}

function viewOf({ check, verdict, reason, expected, seen, sent }: Judgement) {
  const { id, judges, statements = [] } = check;
  return { check: id, verdict, judges, statements, expected, seen, sent, reason };
}

function reportView(checks: readonly CheckView[], run: Conformance, stays: readonly string[]) {
  const count = (verdict: Judgement['verdict']) => checks.filter((view) => view.verdict === verdict).length;
  const [pass, differs] = [count('pass'), count('differs')];
  const counts = { pass, differs, absent: count('absent'), untried: count('untried') };
  const made = run.making.drafts.filter(({ job, uuid }) => job !== undefined || uuid !== undefined).length;
  return { service: run.session.baseUrl, counts, made, stays, checks };
}

function detailOf({ expected, seen, reason }: CheckView): string | undefined {
  return expected === undefined ? reason : `expected ${expected}; saw ${seen}`;
}

function print(view: CheckView, { io }: CommandContext, colors: Colors): void {
  if (!io.out.isTTY) return void io.out.write(columnRows(COLUMNS, [view]));
  const marks = {
    pass: colors.good('✔'),
    differs: colors.bad('✖'),
    absent: colors.warn('○'),
    untried: colors.faint('-'),
  } satisfies Record<CheckView['verdict'], string>;
  const width = widthOf(io.out);
  const { expected, seen, sent, reason } = view;
  const parts = [
    ...(expected === undefined ? [] : [`expected ${expected}`]),
    ...(seen === undefined ? [] : [`saw ${seen}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(sent === undefined ? [] : [sent]),
  ];
  io.out.write(`${marks[view.verdict]} ${hanging(`${view.check}: ${view.judges}`, 2, width)}\n`);
  for (const part of parts) io.out.write(`    ${colors.faint(hanging(clean(part), 4, width))}\n`);
}

const SUITE = '<testsuite name="skinsmith conformance"';
/** Bytes from the start of such a report to its mark. */
const SUITE_WITHIN = 400;

/** What writes the report, once it is verified that it may. @throws CliError */
function junitFile({ junit, overwrite }: ConformanceOptions): ((text: string) => void) | undefined {
  if (junit === undefined) return undefined;
  const guard = new OutputGuard([], { overwrite });
  const replaceable = {
    isOurs: (path: string) => startOf(path, SUITE_WITHIN).toString('utf8').includes(SUITE),
  };
  guard.verify(junit, replaceable);
  return (text) => void guard.write(junit, text, replaceable);
}

/** JUnit XML as CI services read it: what is not there or was not tried is a skipped case. */
function junitText(views: readonly CheckView[], service: string): string {
  const failures = views.filter(({ verdict }) => verdict === 'differs').length;
  const skipped = views.filter(({ verdict }) => verdict === 'absent' || verdict === 'untried').length;
  const counts = `tests="${views.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  ${SUITE} ${counts}>`,
    `    <properties><property name="service" value="${markupText(service)}"/></properties>`,
    ...views.map(caseText),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseText(view: CheckView): string {
  const start = `    <testcase classname="${markupText(view.check)}" name="${markupText(view.judges)}"`;
  if (view.verdict === 'pass') return `${start}/>`;
  const message = markupText(detailOf(view) ?? '');
  const outcome =
    view.verdict === 'differs'
      ? `<failure message="${message}" type="differs">${markupData(view.sent ?? '')}</failure>`
      : `<skipped message="${markupText(view.verdict)}: ${message}"/>`;
  return `${start}>${outcome}</testcase>`;
}
