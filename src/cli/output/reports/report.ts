/** `known` was there without being made: of an earlier run, or of the service. */
export type Outcome = 'made' | 'known' | 'failed' | 'skipped';

/** What became of one source. */
export interface ReportEntry {
  readonly source: string;
  readonly name?: string | undefined;
  readonly variant?: string | undefined;
  readonly uuid?: string | undefined;
  readonly outcome: Outcome;
  readonly seconds?: number | undefined;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string | undefined };
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  /** PNG bytes of the front, when there is a picture at hand. */
  readonly front?: Uint8Array | undefined;
}

export interface ReportSummary {
  readonly total: number;
  readonly made: number;
  readonly known: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly started: Date;
  /** Address of the service, or what it is called. */
  readonly service: string;
}

/** An entry that failed, and its number: entries count from 1 as they were added. */
export interface NumberedFailure {
  readonly number: number;
  readonly entry: Omit<ReportEntry, 'front'>;
}

/** A kind of report, as texts: the head, one for each entry, and the foot make the document. */
export interface Report {
  /** `failures`: the first ones, as many as a list of them may hold; `summary.failed` says how many there are. */
  readonly head: (summary: ReportSummary, failures: readonly NumberedFailure[]) => string;
  readonly entry: (entry: ReportEntry, number: number) => string;
  readonly foot: string;
}
