import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { systemClock } from '../clock.ts';
import { FileMemory } from './files/file-memory.ts';
import { acquire, type Held } from './files/process-lock.ts';
import { Journal } from './journal/journal.ts';
import { Lockfile } from './lockfile/lockfile.ts';
import type { PlanOptions } from './options.ts';
import { OutputNames } from './plan/output-names.ts';
import { Planner } from './plan/planner.ts';
import { bareUuid } from './proof/cape-texture.ts';
import { BatchSetupError } from './setup-error.ts';

/** A batch's files, open. */
export interface OpenBatch {
  readonly lockfile: Lockfile | undefined;
  readonly journal: Journal | undefined;
  readonly memory: FileMemory;
  readonly planner: Planner;
  /** Closes what was opened and lets the next one in. */
  close(): void;
}

/** Batches without a lockfile that may run side by side with the same purpose. */
const MOST_SIBLINGS = 64;

/**
 * Opens what a batch knows of earlier runs. `write`: for a batch that submits, which is alone on its journal;
 * else only for looking, and nothing is made that was not there.
 * @throws BatchSetupError when another process holds the lockfile; LockfileError
 */
export async function openBatch(options: PlanOptions, { write }: { write: boolean }): Promise<OpenBatch> {
  const { lockfile: lockPath, stateDir, clock = systemClock } = options;
  const place = write ? await claimPlace(options) : { path: journalPath(options, 0), held: undefined };
  try {
    const lockfile = lockPath === undefined ? undefined : await Lockfile.open(lockPath);
    const journal = write ? Journal.open(place.path) : Journal.read(place.path);
    const memory = FileMemory.open(join(stateDir, 'files.bin'), () => clock.now());
    const planner = new Planner({
      variant: options.variant ?? 'auto',
      visibility: options.visibility,
      cape: options.cape === undefined ? undefined : bareUuid(options.cape),
      submits: write,
      force: options.force ?? false,
      lockDir: dirname(lockPath ?? join(process.cwd(), 'skins.lock')),
      lockfile,
      journal,
      memory,
      names: new OutputNames(),
    });
    return {
      lockfile,
      journal,
      memory,
      planner,
      close: () => {
        lockfile?.close();
        place.held?.release();
      },
    };
  } catch (error) {
    place.held?.release();
    throw error;
  }
}

interface Place {
  readonly path: string;
  readonly held: Held;
}

/** The journal that is this process's alone. Without a lockfile, a second one at once has a journal of its own. */
async function claimPlace(options: PlanOptions): Promise<Place> {
  for (let sibling = 0; ; sibling++) {
    const path = journalPath(options, sibling);
    const held = await acquire(`${path}.lock`, options.lockfile ?? 'a batch');
    if ('release' in held) return { path, held };
    if (options.lockfile !== undefined || sibling >= MOST_SIBLINGS) throw heldByAnother(options, held.holder);
  }
}

function heldByAnother(
  { lockfile = 'this batch' }: PlanOptions,
  holder: { pid: number } | undefined,
): BatchSetupError {
  const who = holder ? `process ${holder.pid}` : 'another process';
  return new BatchSetupError('lockfile_in_use', `${lockfile} is in use by ${who}.`, {
    hint: 'Wait until it ends, or give this batch a lockfile of its own: --lock FILE',
  });
}

function journalPath(options: PlanOptions, sibling: number): string {
  const { service, lockfile, purpose = '', force = false, stateDir } = options;
  const about = [service.name, service.caller, lockfile ?? purpose, force ? 'force' : '', sibling];
  const id = createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 24);
  return join(stateDir, 'journals', `${id}.ndjson`);
}
