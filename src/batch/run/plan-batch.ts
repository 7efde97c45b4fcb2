import { dirname } from 'node:path';
import type { BatchResult, SignedBy } from '../model.ts';
import type { GoneSource, PlanOptions } from '../options.ts';
import { UNPROVED } from '../signers.ts';
import { type OpenBatch, openBatch } from './batch-files.ts';
import { goneSources, type KnownSources, labelOf, renamesAmong, wouldEmpty } from './gone-sources.ts';
import type { Planned } from './planner.ts';
import { failedResult, givenResult, journaledResult, lockedResult } from './results.ts';

/**
 * What a batch would do about a source:
 * - `locked`, `made`: its skin is known, from the lockfile or from an interrupted earlier run
 * - `given`: the source is skin data and is used as it is
 * - `changed`: the lockfile has it with other pixels or options
 * - `outdated`: the lockfile has it, but another signer than the service in use signed it
 * - `unverified`: an earlier run made it but could not prove it
 * - `repeated`: it shares the skin of another source
 * - `new`, `refused`: it has to be made, or cannot be used
 * - `gone`: the lockfile has it, but its folder or list no longer does
 * - `renamed`: the same, but one new source has its skin
 */
export type PlanSummary =
  | 'new'
  | 'changed'
  | 'outdated'
  | 'locked'
  | 'given'
  | 'made'
  | 'unverified'
  | 'repeated'
  | 'refused'
  | 'gone'
  | 'renamed';

export interface PlannedSource {
  readonly outlook: PlanSummary;
  /** The skin if it is known, the problem if the source is refused; always `source` and `stem`. */
  readonly result: BatchResult;
  /** The signer of an `outdated` entry; for `locked` only set to `unproved`, if it is unknown. */
  readonly signedBy?: SignedBy | undefined;
  /** The new name of a source that was `renamed`, in messages. */
  readonly renamedTo?: string | undefined;
  /** The output files of a source that is `gone`; absolute paths. */
  readonly outputs?: readonly string[] | undefined;
  /** Whether it is dropped only if the user allows that: nothing would be left of a folder or of the lockfile. */
  readonly isKept?: boolean | undefined;
}

const NEVER = new AbortController().signal;

/**
 * Plans a batch without submitting anything or asking the service, from the results of earlier runs. With `coverage`, the
 * sources that are gone come last.
 */
export async function* planBatch(options: PlanOptions): AsyncGenerator<PlannedSource, void, void> {
  const files = await openBatch(options, { write: false });
  const { coverage, outputs, lockfile: path = '' } = options;
  const [sources, stems] = [new Set<string>(), new Set<string>()];
  const fresh: { readonly id: string; readonly key: string }[] = [];
  let count = 0;
  try {
    for await (const planned of files.planner.plan(options.sources, options.signal ?? NEVER)) {
      count++;
      const outlook = outlookOf(planned, files);
      if (coverage) {
        sources.add(planned.member.id);
        stems.add(planned.member.stem);
        if (planned.decision.kind === 'locked' && planned.decision.moved)
          fresh.push({ id: planned.member.id, key: planned.decision.key });
      }
      if (outlook.result.error) coverage?.addFailure(planned.member.source);
      yield outlook;
    }
    if (coverage && files.lockfile) {
      const known = { lockfile: files.lockfile, lockDir: dirname(path), coverage, sources, stems, outputs };
      yield* outlooksOfGone(known, fresh, count);
    }
    files.digests.save();
  } finally {
    files.journal?.close();
    files.close();
  }
}

function* outlooksOfGone(
  known: KnownSources,
  moved: readonly { readonly id: string; readonly key: string }[],
  index: number,
): Generator<PlannedSource, void, void> {
  const { lockfile, lockDir } = known;
  const missing = goneSources(known);
  const fresh = moved.filter(({ id }) => lockfile.recordOf(id) === undefined);
  const renames = new Map(renamesAmong(missing, fresh, lockfile).map(({ from, to }) => [from, to]));
  const gone = missing.filter((one) => !renames.has(one));
  const isKept = wouldEmpty(gone, lockfile);
  for (const one of missing) {
    const to = renames.get(one);
    const planned = outlookOfGone(one, index++);
    if (to === undefined) yield { ...planned, isKept };
    else yield { ...planned, outlook: 'renamed', renamedTo: labelOf(to, lockDir), outputs: undefined };
  }
}

function outlookOfGone({ label, outputs }: GoneSource, index: number): PlannedSource {
  const problem = {
    code: 'gone',
    message: `${label} is in the lockfile, but it is gone from its folder or list.`,
  };
  const content = { kind: 'problem', problem } as const;
  return { outlook: 'gone', result: { index, source: label, stem: '', content, warnings: [] }, outputs };
}

function outlookOf({ member, decision }: Planned, { lockfile, journal, signers }: OpenBatch): PlannedSource {
  const { label: source, content } = member.source;
  const bare = { index: member.index, source, stem: member.stem, content, warnings: [] };
  switch (decision.kind) {
    case 'refused':
      return { outlook: 'refused', result: failedResult(member, decision.problem) };
    case 'failed':
      return { outlook: 'refused', result: failedResult(member, decision.record) };
    case 'locked':
      return {
        outlook: 'locked',
        result: lockedResult(member, lockfile!, decision, signers),
        ...(decision.hasUnknownSigner && { signedBy: { signer: UNPROVED } }),
      };
    case 'given':
      return { outlook: 'given', result: givenResult(member, decision) };
    case 'done':
      return { outlook: 'made', result: journaledResult(member, journal!, decision.key, decision.origin) };
    case 'unverified':
      return { outlook: 'unverified', result: bare };
    case 'repeated':
      return { outlook: 'repeated', result: bare };
    case 'new':
      if (decision.outdated) return { outlook: 'outdated', result: bare, signedBy: decision.outdated };
      return {
        outlook: decision.changed ? 'changed' : 'new',
        result: { ...bare, warnings: decision.work.warnings },
      };
  }
}
