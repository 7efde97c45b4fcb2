import { type BatchResult, type BatchSummary, isMade } from '../../batch/api/batches.ts';
import { readContent } from '../../batch/api/pictures.ts';
import type { FinishedSkin } from '../../batch/api/signed-skins.ts';
import type { SourceContent } from '../../batch/api/sources.ts';
import { CliError } from '../errors/exit.ts';
import { giveCommand } from '../output/formats/commands.ts';
import { figureOf } from '../output/reports/figure.ts';
import type { CopiedData, ReportEntry } from '../output/reports/report.ts';
import { openReport, type ReportWriter } from '../output/reports/writer.ts';
import type { BatchCall } from './call.ts';
import { sourceFilesOf } from './sources.ts';

/** The parts of a batch's summary that a report needs. */
type Counted = Pick<BatchSummary, 'sources' | 'failed' | 'made' | 'resumed' | 'left' | 'milliseconds'>;

interface About {
  readonly service: string;
  readonly started: Date;
}

/** The requested reports, written as results arrive. */
export class Reports {
  readonly #writers: readonly ReportWriter[];
  readonly #about: About;

  private constructor(writers: readonly ReportWriter[], about: About) {
    this.#writers = writers;
    this.#about = about;
  }

  /** @throws CliError when a report cannot be written */
  static async open({ typed }: Pick<BatchCall, 'typed'>, about: About): Promise<Reports> {
    const writers: ReportWriter[] = [];
    const sources = sourceFilesOf(typed);
    try {
      for (const { kind, path } of typed.report ?? []) {
        sources.verifyOther(path);
        writers.push(await openReport(kind, path));
      }
    } catch (error) {
      for (const writer of writers) await writer.abandon();
      throw error;
    }
    return new Reports(writers, about);
  }

  /** Whether none were requested. */
  get isEmpty(): boolean {
    return this.#writers.length === 0;
  }

  async add(result: BatchResult): Promise<void> {
    if (this.isEmpty) return;
    const entry = reportEntry(result);
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
