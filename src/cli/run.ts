import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { ConfigFile, foldersFor } from './config/config-file.ts';
import type { GlobalFlags } from './config/settings.ts';
import { type CommandContext, openContext, type Runner } from './context/context.ts';
import { switchToOwnerOf } from './context/data-owner.ts';
import type { DataFolder } from './errors/error-report.ts';
import {
  CLOSED_PIPE,
  CliError,
  exitStatus,
  isInterruption,
  isMissingPart,
  timedOut,
  usageError,
} from './errors/exit.ts';
import { seeHelp } from './help/help-page.ts';
import type { TypedTimeout } from './options/option-values.ts';
import { buildProgram } from './program.ts';
import { asUnwritten, type ColorChoice, listenForSignals, makeIo, OutputFlush } from './terminal/io.ts';
import { Messages } from './terminal/messages.ts';
import { cleanLines, jsonLine } from './text/text.ts';

/** Runs one command line (without node and the script) and returns the exit status. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  const run = new Run();
  const flush = new OutputFlush(process.stdout);
  const configure = (program: Command) =>
    configureCommand(program, {
      isJson: argv.includes('--json'),
      onCommand: (command) => {
        run.command = command;
      },
    });
  try {
    refuseKeyFlag(argv);
    const program = await buildProgram({ runner: (tree) => run.runnerOf(tree), words: argv, configure });
    await untilShown(program.parseAsync([...argv], { from: 'user' }));
    await flush.complete();
    return run.status;
  } catch (error) {
    return await run.report(error, argv.includes('--json'));
  }
}

/** Help and the version end their output like errors do. */
async function untilShown(parsing: Promise<unknown>): Promise<void> {
  try {
    await parsing;
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
}

/** Reports that a text could not be written to stdout. Returns the exit status. */
export async function reportUnwritten(error: Error): Promise<number> {
  return await new Run().report(asUnwritten(error), false);
}

/** One run of the program, with its exit status. */
class Run {
  status = 0;
  /** The command that the user typed, as far as it is known. */
  command: Command | undefined;
  readonly #stop = new AbortController();

  runnerOf(program: Command): Runner {
    return async (work) => {
      const unlisten = listenForSignals(this.#stop, process);
      const timer = this.#limitTime();
      const context = await contextFor(program, this.#stop);
      try {
        if (process.getuid?.() === 0) await becomeDataOwner(context, this.command);
        this.status = (await work(context)) ?? exitStatus('done');
      } finally {
        await context.close();
        clearTimeout(timer);
        unlisten();
      }
    };
  }

  /** Stops the run like a signal once the time that the user typed is over. */
  #limitTime(): NodeJS.Timeout | undefined {
    const { timeout } = this.command?.opts<TypedTimeout>() ?? {};
    return timeout === undefined ? undefined : setTimeout(() => this.#stop.abort(timedOut(timeout)), timeout);
  }

  /** The one place where an error becomes a message and an exit status. */
  async report(error: unknown, json: boolean): Promise<number> {
    if (isMissingPart(error)) throw error; // `start` reports it without loading more
    if (error instanceof CommanderError) return this.#usageError(error, json);
    if (error === CLOSED_PIPE || this.#stop.signal.reason === CLOSED_PIPE) return exitStatus('closedPipe');
    const messages = new Messages(processIo('auto', this.#stop), { json });
    const { aborted, reason } = this.#stop.signal;
    const interrupted = isInterruption(error) || (aborted && isInterruption(reason));
    const { reportOf } = await import('./errors/error-report.ts');
    const { baseUrl, data } = this.command?.optsWithGlobals<GlobalFlags & { data?: string }>() ?? {};
    const cause = reason instanceof CliError ? reason : error; // see `timedOut`
    const report = reportOf(interrupted && isInterruption(reason) ? reason : cause, {
      flags: { baseUrl },
      env: process.env,
      ...usedFolder(data),
    });
    if (report) {
      const hint = report.hint ?? (report.exit === 'usage' ? this.#seeHelp() : undefined);
      await messages.failure({ code: report.code, message: report.message, hint });
      return exitStatus(report.exit);
    }
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${cleanLines(trace)}\n`); // errors may quote what a service has answered
    process.stderr.write('This is a bug in skinsmith. Please report it with the lines above.\n');
    return exitStatus('failed');
  }

  #seeHelp(): string | undefined {
    return this.command && seeHelp(this.command);
  }

  /** commander has already printed its message, except as JSON. */
  #usageError(error: CommanderError, json: boolean): number {
    if (json) {
      const message = error.message.replace(/^error: /, '');
      process.stderr.write(jsonLine({ error: { code: 'usage', message, hint: this.#seeHelp() } }));
    }
    return exitStatus('usage');
  }
}

/** Commands that first open files outside the data folder. */
const OPEN_FIRST: ReadonlySet<string> = new Set(['backup', 'restore', 'serve', 'copy']);

/**
 * Root leaves a data folder of another user to that user, see `switchToOwnerOf`: also a missing one that was named. A usual
 * folder that is missing may belong to a HOME that a container has mounted, where the command works as root.
 */
async function becomeDataOwner(
  { folders, configFile, env }: CommandContext,
  command?: Command,
): Promise<void> {
  if (OPEN_FIRST.has(command?.name() ?? '')) return;
  const typed = command?.optsWithGlobals<{ data?: string }>().data;
  const isNamed = typed !== undefined || Boolean(env['SKINSMITH_DATA_DIR']);
  const data = typed ?? folders.data;
  if (!isNamed && !lstatSync(data, { throwIfNoEntry: false })) return;
  await configFile.keep();
  switchToOwnerOf(data);
}

/** The data folder of this run; none if there is no home to have it in, which is the error then. */
function usedFolder(typed: string | undefined): { data?: DataFolder } {
  if (typed !== undefined) return { data: { path: resolve(typed), setBy: '--data' } };
  try {
    const path = resolve(foldersFor(process.env).data);
    const isSet = Boolean(process.env['SKINSMITH_DATA_DIR']);
    return { data: { path, setBy: isSet ? 'SKINSMITH_DATA_DIR' : 'HOME or SKINSMITH_DATA_DIR' } };
  } catch (error) {
    if (error instanceof CliError) return {};
    throw error;
  }
}

async function contextFor(
  program: Command,
  stop: AbortController,
): Promise<CommandContext & { close(): Promise<void> }> {
  const { color, ...flags } = program.opts<GlobalFlags & { color?: string | boolean }>();
  if (flags.local && flags.baseUrl !== undefined) {
    throw usageError('two_services', '--local and --base-url cannot be combined.');
  }
  const io = processIo(await colorChoice(color), stop);
  return openContext({ io, env: process.env, signal: stop.signal, flags });
}

/** Called only if colour can be shown, so that a pipe need not load the settings. */
async function colorChoice(typed: string | boolean | undefined): Promise<ColorChoice> {
  if (typed === false) return 'never';
  if (typeof typed === 'string') return typed as ColorChoice;
  if (!process.stdout.isTTY && !process.stderr.isTTY && !process.env['SKINSMITH_COLOR']) return 'auto';
  const { resolveSettings } = await import('./config/settings.ts');
  try {
    const file = await new ConfigFile(foldersFor(process.env).config).settings();
    const env = { SKINSMITH_COLOR: process.env['SKINSMITH_COLOR'] };
    return resolveSettings({ flags: {}, env, file: { color: file['color'] } }).color ?? 'auto';
  } catch (error) {
    if (error instanceof CliError) return 'auto'; // code that needs the settings reports the error
    throw error;
  }
}

function processIo(color: ColorChoice, stop: AbortController) {
  const { stdout, stderr, env } = process;
  return makeIo(
    {
      stdin: () => process.stdin,
      stdout,
      stderr,
      env,
      onClosedPipe: () => stop.abort(CLOSED_PIPE),
      onBroken: (error) => stop.abort(error),
    },
    color,
  );
}

/**
 * `onCommand` is called with each command on the path, from the program down to the one that runs. Errors are thrown to
 * `runProgram` and never exit the process; subcommands get the same setting, which they do not inherit. With --json,
 * stderr carries only the error.
 */
function configureCommand(
  program: Command,
  { isJson, onCommand }: { isJson: boolean; onCommand: (command: Command) => void },
): void {
  const original = program.createCommand.bind(program);
  const writeErr = isJson ? () => {} : (text: string) => void process.stderr.write(text);
  const strict = (command: Command) =>
    command
      .exitOverride()
      .configureOutput({ writeErr })
      .hook('preSubcommand', (_, child) => onCommand(child));
  strict(program);
  onCommand(program);
  program.createCommand = (name) => {
    const child = strict(original(name));
    child.createCommand = program.createCommand;
    return child;
  };
}

function refuseKeyFlag(argv: readonly string[]): void {
  if (!argv.some((word) => /^--api-key(=|$)/.test(word))) return;
  throw usageError(
    'key_on_command_line',
    'There is no --api-key: a key on the command line can be seen by others.',
    'Store it with skinsmith login, or set SKINSMITH_API_KEY.',
  );
}
