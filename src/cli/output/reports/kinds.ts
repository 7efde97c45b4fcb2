/** The kinds of report. A separate module, so that help and argument checks load nothing else. */
export const REPORT_KINDS = ['junit', 'html'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];
