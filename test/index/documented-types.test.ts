import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { Me, receivedMeAnswerSchema } from '../../src/protocol/account.ts';
import type { ApiKey, apiKeyAnswerSchema } from '../../src/protocol/api-key.ts';
import type { Cape, receivedCapeAnswerSchema } from '../../src/protocol/cape.ts';
import type {
  Note,
  noteSchema,
  ReceivedRateLimit,
  receivedRateLimitSchema,
} from '../../src/protocol/envelope.ts';
import type { Job, receivedJobSchema } from '../../src/protocol/job.ts';
import type {
  ReceivedSkin,
  receivedSkinListItemSchema,
  receivedSkinSchema,
  SkinListItem,
} from '../../src/protocol/skin.ts';
import type { PlanView, planSchema, User, userAnswerSchema } from '../../src/protocol/user.ts';

/** All properties of an object and of those in it, as optional as they are. */
type Shape<T> = T extends object
  ? { [K in keyof T]-?: [Shape<T[K]>, undefined extends T[K] ? 'maybe' : 'always'] }
  : T;

test('The documented types equal the types that the schemas infer', () => {
  expectTypeOf<Shape<z.output<typeof receivedJobSchema>>>().toEqualTypeOf<Shape<Job>>();
  expectTypeOf<Shape<z.output<typeof noteSchema>>>().toEqualTypeOf<Shape<Note>>();
  expectTypeOf<Shape<z.output<typeof receivedRateLimitSchema>>>().toEqualTypeOf<Shape<ReceivedRateLimit>>();
  expectTypeOf<Shape<z.output<typeof receivedSkinSchema>>>().toEqualTypeOf<Shape<ReceivedSkin>>();
  expectTypeOf<Shape<z.output<typeof receivedSkinListItemSchema>>>().toEqualTypeOf<Shape<SkinListItem>>();
  expectTypeOf<Shape<z.output<typeof receivedMeAnswerSchema>>>().toEqualTypeOf<Shape<Me>>();
  expectTypeOf<Shape<z.output<typeof receivedCapeAnswerSchema>['cape']>>().toEqualTypeOf<Shape<Cape>>();
  expectTypeOf<Shape<z.output<typeof planSchema>>>().toEqualTypeOf<Shape<PlanView>>();
  expectTypeOf<Shape<z.output<typeof apiKeyAnswerSchema>['key']>>().toEqualTypeOf<Shape<ApiKey>>();
  expectTypeOf<Shape<z.output<typeof userAnswerSchema>['user']>>().toEqualTypeOf<Shape<User>>();
});
