import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { DigestCache } from '../../base/digest-cache.ts';
import { acquireLock, type ProcessLock } from '../../base/process-lock.ts';
import { bareUuid } from '../../base/text.ts';
import { Journal } from '../journal.ts';
import { Lockfile } from '../lockfile/lockfile.ts';
import { BatchSetupError } from '../model.ts';
import { type EarlierNames, isGone, OutputNames } from '../names.ts';
import type { PlanOptions } from '../options.ts';
import { Planner } from '../plan/planner.ts';
import { EMBEDDED, SignerRule, serviceIdentity } from '../signers.ts';
import { SuppliedSkins } from '../sources/supplied-skin.ts';

/** A batch's files, open. */
export interface OpenBatch {
  readonly lockfile: Lockfile | undefined;
  readonly journal: Journal | undefined;
  readonly digests: DigestCache;
  readonly planner: Planner;
  readonly signers: SignerRule;
  /** Closes the files, releases the lock and forgets pictures that were read ahead. */
  close(): void;
}

/** How many batches without a lockfile may run at once for the same purpose. */
const MAX_SIBLINGS = 64;

/**
 * Opens the results of earlier runs. `write`: for a batch that submits, which needs exclusive use of its
 * journal; otherwise the files are only read, and nothing is created.
 * @throws BatchSetupError when another process holds the lockfile; LockfileError
 */
export async function openBatch(options: PlanOptions, { write }: { write: boolean }): Promise<OpenBatch> {
  const { lockfile: lockPath, stateDir, clock = systemClock } = options;
  const place = write ? await claimPlace(options) : { path: journalPath(options, 0), held: undefined };
  const opened: ({ close(): void } | undefined)[] = [];
  try {
    const lockfile =
      lockPath === undefined ? undefined : await Lockfile.open(lockPath, clock.now(), { merges: write });
    opened.push(lockfile);
    const journal = write ? Journal.open(place.path) : Journal.read(place.path);
    opened.push(journal);
    const digests = new DigestCache(join(stateDir, 'files.ndjson'), clock.now());
    const signers = signerRule(options);
    const planner = newPlanner(options, { lockfile, journal, digests, signers, submits: write });
    return {
      lockfile,
      journal,
      digests,
      planner,
      signers,
      close: () => {
        lockfile?.close();
        place.held?.release();
      },
    };
  } catch (error) {
    for (const one of opened) one?.close();
    place.held?.release();
    throw error;
  }
}

type PlannerParts = Pick<OpenBatch, 'lockfile' | 'journal' | 'digests' | 'signers'> & { submits: boolean };

function newPlanner(options: PlanOptions, parts: PlannerParts): Planner {
  const lockDir = dirname(options.lockfile ?? join(process.cwd(), 'skins.lock'));
  return new Planner({
    ...parts,
    variant: options.variant ?? 'auto',
    visibility: options.visibility,
    cape: options.cape === undefined ? undefined : bareUuid(options.cape),
    force: options.force ?? false,
    lockDir,
    names: new OutputNames(parts.lockfile && earlierNames(parts.lockfile, lockDir)),
    given: suppliedSkins(options),
    findSkin: options.service.findSkin,
    bedrock: options.game?.bedrock,
  });
}

/** A source that no longer exists leaves its names to others, so that a renamed file keeps its output. */
function earlierNames(lockfile: Lockfile, lockDir: string): EarlierNames {
  return {
    *all() {
      for (const { entry, record } of lockfile.records())
        for (const { name } of record.outputs ?? []) yield [name, entry];
    },
    isKept: (entry, id) => {
      const owner = lockfile.sourceOf(entry);
      return owner !== id && !isGone(owner, lockDir);
    },
  };
}

function signerRule({ service, keepSignatures = false, game, ownKey }: PlanOptions): SignerRule {
  const keys = { game: game?.keys, own: ownKey };
  return new SignerRule({ name: service.name, signingKey: service.signingKey, keepSignatures, keys });
}

function suppliedSkins({ service, game, ownKey, force = false, cape }: PlanOptions): SuppliedSkins {
  // Reading the key needs no running embedded service: it is in a file.
  const askedKey = async () => (service.name === EMBEDDED ? ownKey : await service.signingKey?.());
  return new SuppliedSkins({ service: service.name, askedKey, gameKeys: game?.keys, force, cape });
}

interface HeldJournal {
  readonly path: string;
  readonly held: ProcessLock;
}

/** A journal for this process only. Without a lockfile, a second concurrent batch gets its own journal. */
async function claimPlace(options: PlanOptions): Promise<HeldJournal> {
  for (let sibling = 0; ; sibling++) {
    const path = journalPath(options, sibling);
    const held = await acquireLock(`${path}.lock`, options.lockfile ?? 'a batch');
    if ('release' in held) return { path, held };
    if (options.lockfile !== undefined || sibling >= MAX_SIBLINGS) throw heldByAnother(options, held.holder);
  }
}

function heldByAnother(
  { lockfile = 'this batch' }: PlanOptions,
  holder: { pid: number } | undefined,
): BatchSetupError {
  const who = holder ? `process ${holder.pid}` : 'another process';
  return new BatchSetupError('lockfile_in_use', `${lockfile} is in use by ${who}.`, {
    hint: 'Wait until it ends, or use another lockfile: --lock FILE',
  });
}

/** All callers of a service share a journal: what one key has paid for is not paid for again with another. */
function journalPath(
  { service, lockfile, purpose = '', force = false, stateDir }: PlanOptions,
  sibling: number,
): string {
  const about = [serviceIdentity(service.name), lockfile ?? purpose, force ? 'force' : '', sibling];
  const id = hash('sha256', JSON.stringify(about)).slice(0, 24);
  return join(stateDir, 'journals', `${id}.ndjson`);
}
