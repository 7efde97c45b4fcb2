import type { BatchSource, GivenSkin } from '../model/source.ts';
import type { Member } from '../model/work.ts';
import type { WorkContent } from '../model/work-key.ts';

/** The skin data that a source is, or that the service has for it. */
export function givenOf({ content }: BatchSource): GivenSkin | undefined {
  return content.kind === 'data' || content.kind === 'uuid' ? content.given : undefined;
}

/** What the source's skin is made from. */
export function contentOf(
  { content }: BatchSource,
  { id, pixels }: Pick<Member, 'id' | 'pixels'>,
): WorkContent {
  if (pixels !== undefined) return { pixels };
  if (content.kind === 'data' || content.kind === 'uuid') return { given: id };
  if (content.kind === 'url') return { url: content.url };
  if (content.kind === 'user') return { user: content.user };
  throw new Error(`A source of kind ${content.kind} has no content.`); // refused earlier
}
