import { readFile } from 'node:fs/promises';
import { finished } from 'node:stream';
import type { Double, DoubleOptions } from '../../double/double.ts';
import type { CommandContext } from '../context/context.ts';
import { CliError, exitStatus, usageError } from '../errors/exit.ts';
import { flagOf } from '../options/option-values.ts';
import { clean, jsonLine } from '../text/text.ts';
import { optionName, SERVE_OPTIONS, type ServeOptions } from './options.ts';
import { aborted } from './own-log.ts';

/** The options that make sense for a double, with `--port`. */
const OWN: readonly string[] = SERVE_OPTIONS['As a double, for tests of clients:'].map(optionName);
const MAX_SCENARIO_BYTES = 1024 * 1024;

/** Runs until the signal aborts, a client asks for the end, or standard input ends. @returns the exit status */
export async function runDouble(options: ServeOptions, context: CommandContext): Promise<number> {
  checkOptions(options);
  const { startDouble, UnmetExpectations } = await import('../../double/double.ts');
  const ending = new AbortController();
  const onStop = () => ending.abort();
  const double = await startDouble({ ...(await doubleOptions(options)), onStop });
  if (options.polite) double.expect({ polite: true });
  const parent = options.parentStdin ? context.io.stdin.resume() : undefined;
  if (parent) finished(parent, { writable: false }, onStop);
  announce(double, context);
  await aborted(AbortSignal.any([context.signal, ending.signal]));
  parent?.destroy(); // an open pipe would keep the process alive
  try {
    await double.stop();
    return exitStatus('done');
  } catch (error) {
    if (!(error instanceof UnmetExpectations)) throw error;
    await context.messages.failure({ code: error.code, message: error.message, hint: undefined });
    return exitStatus('failed');
  }
}

function checkOptions(options: ServeOptions): void {
  const other = Object.keys(options).find((name) => name !== 'port' && !OWN.includes(name));
  if (other) throw usageError('conflicting_options', `--double and ${flagOf(other)} cannot be combined.`);
}

/** @throws CliError for an option that only a double has */
export function refuseDoubleOptions(options: ServeOptions): void {
  const own = OWN.find((name) => name in options);
  if (own) throw usageError('conflicting_options', `${flagOf(own)} needs --double.`);
}

async function doubleOptions({
  double: _double,
  polite: _polite,
  parentStdin: _parentStdin,
  scenario,
  ...options
}: ServeOptions): Promise<DoubleOptions> {
  return {
    ...options,
    ...(scenario !== undefined && { scenario: await readScenario(scenario) }),
  };
}

/** The name of one that comes with the program, or what a file holds. */
async function readScenario(given: string): Promise<NonNullable<DoubleOptions['scenario']>> {
  const { SCENARIOS } = await import('../../double/scenario.ts');
  if (Object.hasOwn(SCENARIOS, given)) return given;
  try {
    const bytes = await readFile(given);
    if (bytes.length > MAX_SCENARIO_BYTES) throw new Error('it is longer than 1 MiB');
    const { parse } = await import('yaml');
    const content: unknown = parse(bytes.toString('utf8'), { maxAliasCount: 0, logLevel: 'error' });
    if (typeof content !== 'object' || content === null) throw new Error('it does not contain an object');
    return content;
  } catch (error) {
    const names = Object.keys(SCENARIOS).join(', ');
    const reason = (error as Error).message.split('\n', 1)[0] ?? '';
    throw new CliError('invalid_scenario', `The scenario ${clean(given)} cannot be read: ${clean(reason)}.`, {
      exit: 'usage',
      hint: `Give a YAML or JSON file, or one of these names: ${names}.`,
      cause: error,
    });
  }
}

function announce({ url, key }: Double, { io }: CommandContext): void {
  if (!io.out.isTTY) return void io.out.write(jsonLine({ url, key }));
  io.out.write(
    `A double of the service listens on ${url}\n` +
      `API key: ${key}\n` +
      `Try it: skinsmith --base-url ${url} generate <file>, with SKINSMITH_API_KEY set to this key\n` +
      `What came in: ${url}/_double/requests\n`,
  );
}
