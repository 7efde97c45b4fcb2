import type { BatchResult } from '../model/result.ts';
import { type SignedBy, UNPROVED } from '../model/signer.ts';
import type { PlanOptions } from '../options/options.ts';
import type { Planned } from '../plan/decision.ts';
import { openBatch } from './open-batch.ts';
import { failedResult, givenResult, journaledResult, lockedResult } from './results.ts';

/**
 * What a batch would do about a source: `locked` and `made` (by an earlier run that did not come to its end) are
 * known, `changed` is in the lockfile with other pixels or options, `outdated` is in it, signed by another than who
 * is asked; `given`: the source is skin data that is good as it is; `unproven` was made and paid for by an earlier run, which could not prove it; `duplicate` comes with
 * another source.
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
    files.memory.save();
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
      return { outlook: 'made', result: journaledResult(member, journal!, decision.key, 'journal') };
    case 'unproven':
      return { outlook: 'unproven', result: bare };
    case 'duplicate':
      return { outlook: 'duplicate', result: bare };
    case 'new':
      if (decision.outdated) return { outlook: 'outdated', result: bare, signedBy: decision.outdated };
      return { outlook: decision.changed ? 'changed' : 'new', result: bare };
  }
}
