/** The reports a batch can leave, for help and for checking a choice without loading anything. */
export const REPORT_KINDS = ['junit', 'html'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];
