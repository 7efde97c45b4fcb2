import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { Me, seenMeAnswerSchema } from '../../src/protocol/account.ts';
import type { ApiKey, apiKeyAnswerSchema } from '../../src/protocol/api-key.ts';
import type { Cape, seenCapeAnswerSchema } from '../../src/protocol/cape.ts';
import type { Note, noteSchema, SeenRateLimit, seenRateLimitSchema } from '../../src/protocol/envelope.ts';
import type { Job, seenJobSchema } from '../../src/protocol/job.ts';
import type { SeenSkin, seenSkinSchema } from '../../src/protocol/seen-skin.ts';
import type { SkinListItem, seenSkinListItemSchema } from '../../src/protocol/skin.ts';
import type { PlanView, planSchema, User, userAnswerSchema } from '../../src/protocol/user.ts';

/** All properties of an object and of those in it, as optional as they are. */
type Shape<T> = T extends object
  ? { [K in keyof T]-?: [Shape<T[K]>, undefined extends T[K] ? 'maybe' : 'always'] }
  : T;

test('The types that users read the comments of are those that the schemas give', () => {
  expectTypeOf<Shape<z.output<typeof seenJobSchema>>>().toEqualTypeOf<Shape<Job>>();
  expectTypeOf<Shape<z.output<typeof noteSchema>>>().toEqualTypeOf<Shape<Note>>();
  expectTypeOf<Shape<z.output<typeof seenRateLimitSchema>>>().toEqualTypeOf<Shape<SeenRateLimit>>();
  expectTypeOf<Shape<z.output<typeof seenSkinSchema>>>().toEqualTypeOf<Shape<SeenSkin>>();
  expectTypeOf<Shape<z.output<typeof seenSkinListItemSchema>>>().toEqualTypeOf<Shape<SkinListItem>>();
  expectTypeOf<Shape<z.output<typeof seenMeAnswerSchema>>>().toEqualTypeOf<Shape<Me>>();
  expectTypeOf<Shape<z.output<typeof seenCapeAnswerSchema>['cape']>>().toEqualTypeOf<Shape<Cape>>();
  expectTypeOf<Shape<z.output<typeof planSchema>>>().toEqualTypeOf<Shape<PlanView>>();
  expectTypeOf<Shape<z.output<typeof apiKeyAnswerSchema>['key']>>().toEqualTypeOf<Shape<ApiKey>>();
  expectTypeOf<Shape<z.output<typeof userAnswerSchema>['user']>>().toEqualTypeOf<Shape<User>>();
});
