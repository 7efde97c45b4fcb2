import { relative } from 'node:path';
import type { Outlook, PlannedSource } from '../../batch/run/plan-batch.ts';
import type { Columns, CommandOutput, Fields } from '../output/described.ts';

/** JSON output for the whole plan. Absent values are omitted. */
export interface PlanView {
  readonly sources: number;
  readonly new: number;
  readonly changed: number;
  /** In the lockfile, but signed by a service other than the selected one. */
  readonly outdated: number;
  readonly known: number;
  /** Of these, the skins whose signer is unknown. */
  readonly unknownSigner: number;
  /** Generated and paid for, but not verified: see --accept-unproven. */
  readonly unproven: number;
  readonly duplicates: number;
  readonly refused: number;
  /** With --prune: sources in the lockfile that their folder or list no longer has. */
  readonly gone?: number;
  /** With --prune: whether they are dropped only with --yes. */
  readonly needsYes?: boolean;
  /** Lower bound of the duration under the caller's limits. */
  readonly seconds: number;
}

/** A line of JSON output for one source of the plan. */
export interface PlannedView {
  readonly source: string;
  readonly outlook: Outlook;
  readonly signer?: string;
  readonly outputs?: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
}

export const PLAN_COLUMNS = {
  source: ({ result }) => result.source,
  outlook: ({ outlook }) => outlook,
  message: ({ result, outputs = [] }) =>
    result.error?.message ??
    (outputs.length > 0 ? `removes ${outputs.map(shownPath).join(', ')}` : undefined),
} satisfies Columns<PlannedSource>;

/** A path as users type it. */
export function shownPath(path: string): string {
  return relative(process.cwd(), path);
}

const PLAN_FIELDS: Fields<PlanView> = {
  sources: 'number of sources',
  new: 'skins to make',
  changed: 'skins to make because the picture or its options have changed',
  outdated: 'skins to make because another service signed the one in the lockfile',
  known: 'skins that need not be made',
  unknownSigner: 'known skins with an unknown signer',
  unproven: 'skins made earlier that could not be proved (see --accept-unproven)',
  duplicates: 'sources with the same picture and options as another',
  refused: 'sources that cannot be used',
  gone: 'with --prune: sources in the lockfile that their folder or list no longer has',
  needsYes: 'with --prune: whether these are dropped only with --yes',
  seconds: 'least time to make the skins, in seconds',
};

const PLANNED_FIELDS = {
  source: 'the source as you typed it',
  outlook:
    'new, changed, outdated, locked (in the lockfile), given (skin data), made (in an earlier, ' +
    'interrupted run), unproven, duplicate, refused, or with --prune gone (to be dropped from the lockfile)',
  signer: 'who signed the skin in the lockfile, if that matters',
  outputs: 'files that --prune removes with a source that is gone',
  error: { about: 'why the source is refused', fields: { code: 'error code', message: 'what is wrong' } },
} satisfies Fields<PlannedView>;

export const PLAN_OUTPUT: readonly CommandOutput[] = [
  {
    mode: '--dry-run',
    columns: PLAN_COLUMNS,
    columnMeanings: {
      source: PLANNED_FIELDS.source,
      outlook: PLANNED_FIELDS.outlook,
      message: 'why the source is refused, or the files that are removed with one that is gone',
    },
    json: { shape: 'object', fields: PLAN_FIELDS },
  },
  { mode: '--dry-run --ndjson', json: { shape: 'lines', fields: PLANNED_FIELDS } },
];
