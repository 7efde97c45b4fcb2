import { html } from './html.ts';
import { junit } from './junit.ts';
import type { ReportKind } from './kinds.ts';
import type { Report } from './report.ts';

export const REPORTS = { junit, html } satisfies Record<ReportKind, Report>;
