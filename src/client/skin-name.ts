import { skinNameSchema } from '../protocol/generate.ts';

/** Why the service would refuse a skin's name; undefined if it is valid. */
export function skinNameProblem(name: string): string | undefined {
  return skinNameSchema.safeParse(name).error?.issues[0]?.message;
}
