import { resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { isStream } from '../../base/files.ts';
import type { BatchResult, FinishedSkin, SourceContent } from '../../batch/model.ts';
import type { BatchSummary } from '../../batch/options.ts';
import { readContent } from '../../batch/pictures.ts';
import { isMade } from '../../batch/run/results.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { giveCommand } from '../output/formats.ts';
import { startOf } from '../output/output-guard.ts';
import type { CopiedData, ReportEntry } from '../output/reports/report.ts';
import { figureOf, openReport, REPORTS, type ReportWriter } from '../output/reports/writer.ts';
import { type BatchCall, guardOf } from './output.ts';

/** The parts of a batch's summary that a report needs. */
type Counted = Pick<BatchSummary, 'sources' | 'failed' | 'made' | 'resumed' | 'left' | 'milliseconds'>;

export interface About {
  readonly service: string;
  readonly started: Date;
}

/** Bytes at the start of a report that have its mark. */
const MARKED_BYTES = 16 * 1024;

/** The requested reports, written as results arrive. */
export class Reports {
  readonly #writers: readonly ReportWriter[];
  readonly #about: About;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** When the service took the sources whose results are awaited, by their index. */
  readonly #acceptedAt = new Map<number, number>();

  private constructor(writers: readonly ReportWriter[], about: About, clock: Pick<Clock, 'monotonic'>) {
    this.#writers = writers;
    this.#about = about;
    this.#clock = clock;
  }

  /** @throws CliError when a report cannot be written */
  static async open(
    { typed, context }: Pick<BatchCall, 'typed' | 'context'>,
    about: About,
  ): Promise<Reports> {
    const writers: ReportWriter[] = [];
    const guard = guardOf(typed);
    const paths = (typed.report ?? []).map(({ path }) => resolve(path));
    if (new Set(paths).size < paths.length)
      throw usageError('same_report', 'Two reports cannot be written to the same file.');
    try {
      for (const { kind, path } of typed.report ?? []) {
        const isOurs = (earlier: string) => startOf(earlier, MARKED_BYTES).includes(REPORTS[kind].mark);
        const place = { isStream: isStream(path), verify: (page = path) => guard.verify(page, { isOurs }) };
        writers.push(await openReport(kind, path, place));
      }
    } catch (error) {
      for (const writer of writers) await writer.abandon();
      throw error;
    }
    return new Reports(writers, about, context.clock);
  }

  /** The service has a job for a source: its time begins. */
  accepted(index: number): void {
    if (!this.#acceptedAt.has(index)) this.#acceptedAt.set(index, this.#clock.monotonic());
  }

  async add(result: BatchResult): Promise<void> {
    const since = this.#acceptedAt.get(result.index);
    this.#acceptedAt.delete(result.index);
    const seconds = since === undefined ? 0 : (this.#clock.monotonic() - since) / 1_000;
    await this.#write({ ...reportEntry(result), seconds });
  }

  /** A source that was not done. */
  async skip(index: number, source: string, message: string): Promise<void> {
    await this.#write({ index, source, outcome: 'skipped', error: { code: 'left', message }, warnings: [] });
  }

  async #write(entry: ReportEntry): Promise<void> {
    for (const writer of this.#writers) await writer.add(entry);
  }

  async finish(summary: Counted): Promise<void> {
    const { sources, failed, resumed, left, milliseconds } = summary;
    const made = summary.made + resumed;
    const known = sources - failed - made - left;
    const counts = { total: sources, made, known, failed, skipped: left };
    for (const writer of this.#writers) {
      await writer.finish({ ...counts, seconds: milliseconds / 1_000, ...this.#about });
    }
  }

  /** Removes the temporary files of unfinished reports. */
  async abandon(): Promise<void> {
    for (const writer of this.#writers) await writer.abandon();
  }
}

function reportEntry(result: BatchResult): ReportEntry {
  const { source, skin, error, warnings, origin, content } = result;
  const picture = pictureOf(content);
  const figure = picture && figureOf(picture, skin?.variant ?? 'auto');
  const data = skin && copiedData(skin);
  return {
    index: result.index,
    source,
    ...(skin && { variant: skin.variant, uuid: skin.uuid }),
    ...(skin?.name !== undefined && { name: skin.name }),
    outcome: error ? 'failed' : isMade({ origin, skin }) ? 'made' : 'known',
    ...(error && { error: withoutAbsent(error) }),
    warnings,
    ...(figure && { figure }),
    ...(data && { data }),
  };
}

/** Undefined when the value is not base64, since no command or server could use it. */
function copiedData(skin: FinishedSkin): CopiedData | undefined {
  try {
    return { value: skin.value, command: giveCommand(skin) };
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function withoutAbsent({ code, message, hint }: NonNullable<BatchResult['error']>) {
  return { code, message, ...(hint !== undefined && { hint }) };
}

/**
 * Reads the source file again: reports are rare, and keeping every image would make memory use grow with the batch.
 * Undefined for a source without a picture and for one that cannot be read, of which the result already says why.
 */
function pictureOf(content: SourceContent): Uint8Array | undefined {
  if (content.kind !== 'bytes' && content.kind !== 'file') return undefined;
  const read = readContent(content);
  return 'bytes' in read ? read.bytes : undefined;
}
