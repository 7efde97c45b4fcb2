import { appendFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { SourceContent, SourceProblem } from '../../batch/model.ts';
import type { Io } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';
import { clean, count } from '../text/text.ts';

/** Bytes of the rows in the summary's table: more of them help nobody. */
const MAX_ROWS = 4_500;

/** What a source needs: it failed, or (`notice`, only in the summary) its skin is still to be made. */
export interface Annotation {
  readonly level: 'error' | 'notice';
  readonly source: string;
  readonly content?: SourceContent | undefined;
  readonly problem: SourceProblem;
}

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly io: Pick<Io, 'err'>;
  readonly messages: Pick<Messages, 'warn'>;
}

/** What later steps may use, as steps.NAME.outputs.made: skins that this run made, and those that are still to be made, failed ones included. */
interface StepOutputs {
  readonly made: number;
  readonly left: number;
}

/**
 * What GitHub Actions shows beside the log: annotations of files, and a summary of the step; and the outputs of the step.
 * Elsewhere it does nothing.
 */
export class GithubReport {
  readonly #around: Surroundings;
  #rows = '';
  #more = 0;
  #isFinished = false;
  /** Makes the outputs of a command that fails. */
  counted: () => StepOutputs = () => ({ made: 0, left: 0 });

  constructor(around: Surroundings) {
    this.#around = around;
  }

  add(remark: Annotation): void {
    const { env, io } = this.#around;
    const isShown = remark.level === 'error' && env['GITHUB_ACTIONS'] === 'true';
    if (isShown) io.err.write(Buffer.from(annotation(remark, env)));
    if (!env['GITHUB_STEP_SUMMARY']) return;
    const rows = `${this.#rows}| ${markdown(remark.source)} | ${markdown(remark.problem.message)} |\n`;
    if (this.#more === 0 && Buffer.byteLength(rows) <= MAX_ROWS) this.#rows = rows;
    else this.#more++;
  }

  /** One annotation for all that is worth knowing: GitHub shows ten of a step. */
  notice(code: string, message: string): void {
    this.#annotate('notice', code, [message]);
  }

  /** Writes the summary, which starts with this sentence, and the outputs. The command does not fail if that fails. */
  async finish(sentence: string, outputs?: StepOutputs): Promise<void> {
    this.#isFinished = true;
    await this.#append('GITHUB_STEP_SUMMARY', this.#summary(sentence));
    if (outputs) await this.#append('GITHUB_OUTPUT', `made=${outputs.made}\nleft=${outputs.left}\n`);
  }

  /** The error that ends the command, as an annotation; and the summary and the outputs, unless they are written already. */
  async fail({ code, message, hint = '' }: SourceProblem): Promise<void> {
    this.#annotate('error', code, [message, hint]);
    if (!this.#isFinished) await this.finish(message, this.counted());
  }

  #annotate(level: Annotation['level'], code: string, text: readonly string[]): void {
    const { env, io } = this.#around;
    if (env['GITHUB_ACTIONS'] === 'true')
      io.err.write(Buffer.from(command(level, { title: titleOf(code) }, text)));
  }

  async #append(variable: string, text: string): Promise<void> {
    const { env, messages } = this.#around;
    const path = env[variable];
    if (!path) return;
    try {
      appendFileSync(path, text);
    } catch (error) {
      await messages.warn(`The file in ${variable} could not be written: ${(error as Error).message}`);
    }
  }

  #summary(sentence: string): string {
    const table = this.#rows === '' ? '' : `\n| source | |\n| --- | --- |\n${this.#rows}`;
    const more = this.#more === 0 ? '' : `\nand ${count(this.#more)} more\n`;
    return `### skinsmith\n\n${markdown(sentence)}\n${table}${more}\n`;
  }
}

/** https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function annotation({ level, source, content, problem }: Annotation, env: NodeJS.ProcessEnv): string {
  const file = content?.kind === 'file' ? fileIn(env['GITHUB_WORKSPACE'], content.path) : undefined;
  const properties = { ...(file !== undefined && { file }), title: titleOf(problem.code) };
  const message = problem.message.includes(source) ? problem.message : `${source}: ${problem.message}`;
  return command(level, properties, [message, problem.hint ?? '']);
}

function titleOf(code: string): string {
  return `skinsmith: ${code}`;
}

function command(
  name: string,
  properties: Readonly<Record<string, string>>,
  text: readonly string[],
): string {
  const list = Object.entries(properties).map(([key, value]) => `${key}=${escaped(clean(value), /[%:,]/g)}`);
  const lines = text.filter((line) => line !== '').map(clean);
  return `::${name} ${list.join(',')}::${escaped(lines.join('\n'), /[%\n]/g)}\n`;
}

/** As GitHub names a file: from the root of the repository. Undefined for one outside of it. */
function fileIn(root: string | undefined, path: string): string | undefined {
  const below = relative(root || process.cwd(), resolve(path)).replaceAll('\\', '/');
  return below.startsWith('../') ? undefined : below;
}

function escaped(text: string, special: RegExp): string {
  return text.replace(special, (character) => encodeURIComponent(character));
}

/** Plain text in a cell of a table. */
function markdown(text: string): string {
  return clean(text)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>()#+!|~&@]/g, (character) => `&#${character.charCodeAt(0)};`);
}
