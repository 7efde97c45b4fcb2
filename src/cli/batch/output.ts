import { join, resolve } from 'node:path';
import { DigestCache } from '../../base/digest-cache.ts';
import type { BatchResult } from '../../batch/api/batches.ts';
import type { BatchCall } from './call.ts';
import { OutputFiles } from './output-files.ts';
import { sourceFilesOf } from './sources.ts';

/** Where results are written in addition to stdout. */
export interface Output {
  /** Absolute path; undefined without an output folder. */
  readonly lockfile: string | undefined;
  readonly deliver: (result: BatchResult) => void;
  /** Records which files hold which skin. */
  readonly save: () => void;
}

/** Creates the output folder, unless the caller only wants its path. @throws Error of the file system */
export function openOutput(
  { context, settings, typed, follow }: BatchCall,
  { isDry = false }: { isDry?: boolean } = {},
): Output {
  const { out, lock } = typed;
  const lockfile = lock ?? (out === undefined || !follow ? undefined : join(out, 'skins.lock'));
  const path = lockfile === undefined ? undefined : resolve(lockfile);
  if (out === undefined || isDry) return { lockfile: path, deliver: () => {}, save: () => {} };
  const digests = DigestCache.open(join(context.folders.data, 'batches', 'outputs.ndjson'), () =>
    context.clock.now(),
  );
  const sources = sourceFilesOf(typed);
  const files = new OutputFiles(out, { formats: settings.format ?? ['json'], digests, sources });
  return { lockfile: path, deliver: (result) => files.write(result), save: () => digests.save() };
}
