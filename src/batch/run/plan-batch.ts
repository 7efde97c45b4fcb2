import type { BatchResult } from '../model/result.ts';
import { type SignedBy, UNPROVED } from '../model/signer.ts';
import type { PlanOptions } from '../options/options.ts';
import type { Planned } from '../plan/decision.ts';
import { openBatch } from './open-batch.ts';
import { failedResult, givenResult, journaledResult, lockedResult } from './results.ts';

/**
 * What a batch would do about a source:
 * - `locked`, `made`: its skin is known, from the lockfile or from an interrupted earlier run
 * - `given`: the source is skin data and is used as it is
 * - `changed`: the lockfile has it with other pixels or options
 * - `outdated`: the lockfile has it, but another signer than the service in use signed it
 * - `unproven`: an earlier run made it but could not prove it
 * - `duplicate`: it shares the skin of another source
 * - `new`, `refused`: it has to be made, or cannot be used
 */
export type Outlook =
  | 'new'
  | 'changed'
  | 'outdated'
  | 'locked'
  | 'given'
  | 'made'
  | 'unproven'
  | 'duplicate'
  | 'refused';

export interface PlannedSource {
  readonly outlook: Outlook;
  /** The skin if it is known, the problem if the source is refused; always `source` and `stem`. */
  readonly result: BatchResult;
  /** The signer of an `outdated` entry; for `locked` only set to `unproved`, if it is unknown. */
  readonly signedBy?: SignedBy | undefined;
}

const NEVER = new AbortController().signal;

/** Plans a batch without submitting anything or asking the service, from the results of earlier runs. */
export async function* planBatch(options: PlanOptions): AsyncGenerator<PlannedSource, void, void> {
  const files = await openBatch(options, { write: false });
  try {
    for await (const planned of files.planner.plan(options.sources, options.signal ?? NEVER)) {
      yield outlookOf(planned, files);
    }
    files.digests.save();
  } finally {
    files.journal?.close();
    files.close();
  }
}

type Files = Awaited<ReturnType<typeof openBatch>>;

function outlookOf({ member, decision }: Planned, { lockfile, journal, signers }: Files): PlannedSource {
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
        result: lockedResult(member, lockfile!, decision.entry, signers),
        ...(decision.hasUnknownSigner && { signedBy: { signer: UNPROVED } }),
      };
    case 'given':
      return { outlook: 'given', result: givenResult(member, decision) };
    case 'done':
      return { outlook: 'made', result: journaledResult(member, journal!, decision.key, decision.origin) };
    case 'unproven':
      return { outlook: 'unproven', result: bare };
    case 'duplicate':
      return { outlook: 'duplicate', result: bare };
    case 'new':
      if (decision.outdated) return { outlook: 'outdated', result: bare, signedBy: decision.outdated };
      return {
        outlook: decision.changed ? 'changed' : 'new',
        result: { ...bare, warnings: decision.work.warnings },
      };
  }
}
