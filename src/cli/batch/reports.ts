import { readFileSync } from 'node:fs';
import type { BatchSummary } from '../../batch/events.ts';
import type { BatchResult, SourceContent } from '../../batch/types.ts';
import { frontOf } from '../output/reports/front.ts';
import type { ReportEntry } from '../output/reports/report.ts';
import { openReport, type ReportWriter } from '../output/reports/writer.ts';
import type { ReportRequest } from './typed-options.ts';

/** As much of a batch's summary as a report needs. */
type Counted = Pick<BatchSummary, 'sources' | 'failed' | 'made' | 'left' | 'milliseconds'>;

interface About {
  readonly service: string;
  readonly started: Date;
}

/** The reports that were asked for, written as results come. */
export class Reports {
  readonly #writers: readonly ReportWriter[];
  readonly #about: About;

  private constructor(writers: readonly ReportWriter[], about: About) {
    this.#writers = writers;
    this.#about = about;
  }

  /** @throws CliError when one cannot be written */
  static async open(requests: readonly ReportRequest[], about: About): Promise<Reports> {
    const writers: ReportWriter[] = [];
    try {
      for (const { kind, path } of requests) writers.push(await openReport(kind, path));
    } catch (error) {
      for (const writer of writers) await writer.abandon();
      throw error;
    }
    return new Reports(writers, about);
  }

  async add(result: BatchResult): Promise<void> {
    if (this.#writers.length === 0) return;
    const entry = reportEntry(result);
    for (const writer of this.#writers) await writer.add(entry);
  }

  async finish(summary: Counted): Promise<void> {
    const { sources, failed, made, left, milliseconds } = summary;
    const known = sources - failed - made - left;
    const counts = { total: sources, made, known, failed, skipped: left };
    for (const writer of this.#writers) {
      await writer.finish({ ...counts, seconds: milliseconds / 1_000, ...this.#about });
    }
  }

  /** Leaves nothing behind of reports that were not finished. */
  async abandon(): Promise<void> {
    for (const writer of this.#writers) await writer.abandon();
  }
}

function reportEntry(result: BatchResult): ReportEntry {
  const { source, skin, error, warnings, origin, content } = result;
  const picture = pictureOf(content);
  const front = picture && frontOf(picture, skin?.variant ?? 'auto');
  return {
    source,
    ...(skin && { variant: skin.variant, uuid: skin.uuid }),
    ...(skin?.name !== undefined && { name: skin.name }),
    outcome: error ? 'failed' : origin === 'made' ? 'made' : 'known',
    ...(error && { error: withoutAbsent(error) }),
    warnings,
    ...(front && { front }),
  };
}

function withoutAbsent({ code, message, hint }: NonNullable<BatchResult['error']>) {
  return { code, message, ...(hint !== undefined && { hint }) };
}

/** The source's bytes once more: a report is rare, and keeping all pictures for it is not flat. */
function pictureOf(content: SourceContent): Uint8Array | undefined {
  if (content.kind === 'bytes') return content.bytes;
  if (content.kind !== 'file') return undefined;
  try {
    return readFileSync(content.path);
  } catch {
    return undefined; // why it cannot be read is in the result
  }
}
