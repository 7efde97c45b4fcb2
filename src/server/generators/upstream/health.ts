import { classifyFailure, type FailureKind } from '../../../client/failure.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import type { HealthFinding } from '../../../protocol/diagnosis.ts';
import type { Availability } from './availability.ts';
import { readUpstreamFacts } from './contact.ts';
import type { UpstreamSettings } from './settings.ts';
import type { StoredJobs } from './stored-jobs.ts';

interface UpstreamParts {
  readonly client: SkinClient;
  readonly settings: UpstreamSettings;
  readonly availability: Pick<Availability, 'wait'>;
  readonly others: Pick<StoredJobs, 'foreignJobs'>;
}

/** Checks whether the upstream service answers and accepts the key, and reads the key's limits. */
export async function upstreamHealth(
  { client, settings, availability, others }: UpstreamParts,
  signal: AbortSignal,
): Promise<readonly HealthFinding[]> {
  const place = client.baseUrl;
  try {
    const { spots } = await readUpstreamFacts(client, settings, signal);
    const { foreignJobs } = others;
    const taken = foreignJobs === 0 ? '' : `, ${foreignJobs} taken by other programs with the same key`;
    const message = `${place} makes the skins and takes the key; slots there: ${spots}${taken}.`;
    return [{ code: 'upstream', result: 'ok', message }, ...waitFinding(availability.wait())];
  } catch (error) {
    const failure = classifyFailure(error);
    if (failure === undefined) throw error;
    return [finding(failure.kind, place)];
  }
}

function waitFinding(wait: number): HealthFinding[] {
  if (wait === 0) return [];
  const message = `Jobs wait ${Math.ceil(wait / 1000)} s more, as it asked for or because it failed.`;
  return [{ code: 'upstream_wait', result: 'warning', message }];
}

function finding(kind: FailureKind, place: string): HealthFinding {
  if (kind === 'key_refused') {
    const message = `${place} does not accept the key that is given for it.`;
    return { code: 'upstream_key_refused', result: 'problem', message };
  }
  if (kind === 'too_fast' || kind === 'full_queue') {
    const message = `${place} is limiting requests now.`;
    return { code: 'upstream_limits', result: 'warning', message };
  }
  const message = `${place}, which makes the skins, does not answer as it should.`;
  return { code: 'upstream_unreachable', result: 'problem', message };
}
