import { NAME_RULE, skinNameSchema } from '../protocol/generate.ts';

/** What a skin's name may contain, as the end of a sentence: "names may contain …". */
export const SKIN_NAME_RULE = NAME_RULE;

/** Why the service would refuse a skin's name, likewise; undefined if it is valid. */
export function skinNameProblem(name: string): string | undefined {
  return skinNameSchema.safeParse(name).error?.issues[0]?.message;
}
