import type { z } from 'zod';
import type { seenSkinListAnswerSchema } from '../protocol/skin.ts';
import { nextIn } from './answer-links.ts';
import { ServiceError } from './errors.ts';
import type { SkinPage } from './types.ts';

type SkinListAnswer = z.output<typeof seenSkinListAnswerSchema>;

/** The warning of services that send the first page because they do not know `after`. */
const STARTED_OVER = 'anchor_not_found';

/**
 * @throws ServiceError if the service sent the first page instead of a later one: reading on from there would never end
 */
export function skinPage(path: string, answer: SkinListAnswer): SkinPage {
  const { skins, links, pagination, total, warnings = [] } = answer;
  if (warnings.some(({ code }) => code === STARTED_OVER)) throw startedOver(path, answer);
  const next = nextIn(links) ?? pagination?.next?.after;
  return { skins, next, ...(total !== undefined && { total }) };
}

function startedOver(path: string, { links = {}, rateLimit }: SkinListAnswer): ServiceError {
  const message = 'The skin that the page comes after is gone. Read the list from its start.';
  const errors = [{ code: STARTED_OVER, message }];
  return new ServiceError({
    method: 'GET',
    path,
    status: 200,
    errors,
    links,
    rateLimit,
    retryAfter: undefined,
  });
}
