import type { Patient } from './patient.ts';

/** What is looked at, in the order in which it is told. */
export const CHECK_NAMES = [
  'program',
  'config',
  'settings',
  'data',
  'service',
  'connection',
  'answer',
  'key',
  'clock',
  'limits',
  'spots',
  'textures',
  'signature',
  'store',
  'generator',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export interface Finding {
  readonly result: 'ok' | 'warning' | 'problem' | 'skipped';
  /** What was found: sentences. */
  readonly detail: string;
  /** What to do next. */
  readonly hint?: string | undefined;
}

export interface Check {
  /** Checks without which this one says nothing: it is left out while one of them has found a problem. */
  readonly needs: readonly CheckName[];
  /** What it throws is a problem found, if it is one that can be told. */
  readonly look: (patient: Patient) => Promise<Finding>;
}

export function ok(detail: string): Finding {
  return { result: 'ok', detail };
}

export function warning(detail: string, hint?: string): Finding {
  return { result: 'warning', detail, hint };
}

export function problem(detail: string, hint?: string): Finding {
  return { result: 'problem', detail, hint };
}

export function skipped(detail: string): Finding {
  return { result: 'skipped', detail };
}
