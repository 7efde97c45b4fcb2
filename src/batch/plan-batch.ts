import { openBatch } from './open-batch.ts';
import type { PlanOptions } from './options.ts';
import type { Planned } from './plan/planner.ts';
import { failedResult, journaledResult, lockedResult } from './results.ts';
import type { BatchResult } from './types.ts';

/**
 * What a batch would do about a source: `locked` and `made` (by an earlier run that did not come to its end) are
 * known, `changed` is in the lockfile with other pixels or options, `duplicate` comes with another source.
 */
export type Outlook = 'new' | 'changed' | 'locked' | 'made' | 'duplicate' | 'refused';

export interface PlannedSource {
  readonly outlook: Outlook;
  /** The skin where it is known, the problem where it is refused; `source` and `stem` in any case. */
  readonly result: BatchResult;
}

const NEVER = new AbortController().signal;

/** Plans a batch without submitting anything or asking the service: what is known of earlier runs decides. */
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

function outlookOf({ member, decision }: Planned, { lockfile, journal }: Files): PlannedSource {
  const { label: source, content } = member.source;
  const bare = { index: member.index, source, stem: member.stem, content, warnings: [] };
  switch (decision.kind) {
    case 'refused':
      return { outlook: 'refused', result: failedResult(member, decision.problem) };
    case 'failed':
      return { outlook: 'refused', result: failedResult(member, decision.record) };
    case 'locked':
      return { outlook: 'locked', result: lockedResult(member, lockfile!, decision.entry) };
    case 'done':
      return { outlook: 'made', result: journaledResult(member, journal!, decision.key, 'journal') };
    case 'duplicate':
      return { outlook: 'duplicate', result: bare };
    case 'new':
      return { outlook: decision.changed ? 'changed' : 'new', result: bare };
  }
}
