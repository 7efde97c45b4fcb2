import type { Setup } from './setup.ts';

/** The names of the checks, in the order in which they are reported. */
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
  'slots',
  'textures',
  'signature',
  'store',
  'generator',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export interface Finding {
  readonly result: 'ok' | 'warning' | 'problem' | 'skipped';
  /** The finding, in full sentences. */
  readonly detail: string;
  /** The next step for the user. */
  readonly hint?: string | undefined;
}

export interface Check {
  /** Checks that this one depends on: it is skipped if one of them finds a problem. */
  readonly needs: readonly CheckName[];
  /** An error that it throws is reported as a problem, unless the error is a bug. */
  readonly look: (setup: Setup) => Promise<Finding>;
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
