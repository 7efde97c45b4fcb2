import type { Clock } from '../../base/clock.ts';
import { VERSION } from '../../base/version.ts';
import type { Observer } from '../events/observer.ts';
import { GenerationError, type Generator } from '../generators/port.ts';
import type { GeneratedData, Lease } from '../queue/port.ts';
import { identityOfJob } from '../service/skins/identity.ts';
import type { Db } from '../store/db.ts';
import { findTextureData } from '../store/textures.ts';

/** What answers name as their server: the machine's own name is nobody's business. */
export const SERVER_NAME = 'skinsmith';

export interface WorkerContext {
  readonly db: Db;
  readonly generator: Generator;
  readonly clock: Clock;
  readonly observer: Pick<Observer, 'generated'>;
}

/** What the job's data is known by now: the signer may be another than when the job was accepted. */
export async function currentIdentity(generator: Generator, { job }: Lease): Promise<string> {
  const { owner, texture_hash: textureHash, variant, cape_hash: capeHash, visibility } = job;
  const asked = { owner, textureHash, variant, capeHash, visibility };
  return identityOfJob(asked, await generator.signer());
}

/** The skin data a job asks for: what somebody else's job made meanwhile, or newly generated. */
export async function makeSkinData(
  { db, generator, clock, observer }: WorkerContext,
  { job, owner, hasData = true }: Lease,
  signal: AbortSignal,
): Promise<GeneratedData> {
  const known = hasData ? await findTextureData(db, job.identity) : undefined;
  if (known) return { ...known, capeUrl: known.cape_url, version: known.generator_version };
  if (job.cape_hash !== null && generator.refusesCapes !== undefined) {
    throw new GenerationError('invalid_cape', generator.refusesCapes); // another generator took the job
  }
  const start = clock.monotonic();
  const { identity, texture_hash: hash, variant, cape_hash: capeHash, visibility } = job;
  const { maker, ...data } = await generator.generate(
    { owner: job.owner, identity, hash, variant, capeHash, visibility },
    signal,
  );
  const duration = clock.monotonic() - start;
  observer.generated(duration);
  return {
    ...data,
    version: VERSION,
    server: SERVER_NAME,
    worker: owner.slice(owner.lastIndexOf('#') + 1),
    duration: Math.round(duration),
    ...maker,
  };
}
