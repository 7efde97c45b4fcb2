import type { HealthFinding } from '../../index.ts';
import type { ServiceNaming } from '../errors/service-hints.ts';
import { type Finding, skipped } from './check.ts';
import { hintFor } from './hints.ts';
import type { NoDiagnosis } from './setup.ts';

const SEVERITY = ['ok', 'warning', 'problem'] as const satisfies readonly HealthFinding['result'][];

/** Merges several findings of the service: the result is that of the worst, which comes first. */
export function summary(findings: readonly HealthFinding[], naming: ServiceNaming): Finding {
  const worstFirst = findings.toSorted((a, b) => SEVERITY.indexOf(b.result) - SEVERITY.indexOf(a.result));
  const [worst] = worstFirst;
  if (!worst) return skipped('There is nothing to check.');
  const detail = worstFirst.map(({ message }) => message).join(' ');
  return { result: worst.result, detail, hint: hintFor([worst.code], naming) };
}

const WHY = {
  not_skinsmith: 'Only a skinsmith service reports its state.',
  not_operator: 'Only the operator of the service may see that.',
} satisfies Record<NoDiagnosis, string>;

export function notDiagnosed(why: NoDiagnosis): Finding {
  return skipped(WHY[why]);
}
