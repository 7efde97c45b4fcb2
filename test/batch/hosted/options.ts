import { z } from 'zod';
import type { Fate } from './fates.ts';
import type { PlannedJob } from './job-book.ts';
import { type RateRule, rateRuleSchema } from './rate-window.ts';
import { type Weather, type WeatherPlan, weatherPlanSchema } from './weather.ts';

/** How the service behaves. Times in milliseconds. */
export interface HostedOptions {
  /** API key of the one caller; see `HostedService.key`. */
  readonly key?: string;
  /** How long a job is processed; 40 unless given. */
  readonly serviceTime?: number | ((job: PlannedJob) => number);
  /** Jobs processed at a time; 5 unless given, 0: none ever. */
  readonly workers?: number;
  /** Unfinished jobs the caller may have; 5 unless given. */
  readonly limit?: number;
  /** How many more than `limit` it lets through by mistake; 0 unless given. */
  readonly slack?: number;
  /** Submissions in a window of time; no limit unless given. */
  readonly rate?: RateRule;
  /** How much later than the truth the `eta` of a new job is (negative: earlier), 0 unless given; false: none. */
  readonly eta?: false | number;
  /** What is answered at once as a duplicate: what it has made (unless given), nothing, everything, or also these. */
  readonly known?: 'made' | 'nothing' | 'everything' | ((pixels: string) => boolean);
  /** Shortest time between two looks at one job before a 429; 0 unless given. */
  readonly lookGap?: number;
  /** Merged into the grants of GET /v2/me. */
  readonly grants?: Readonly<Record<string, unknown>>;
  /** Trouble on the way; fine unless given. */
  readonly weather?: WeatherPlan | Weather;
  /** What becomes of the jobs of a picture, by its pixel hash; all is well unless given. */
  readonly fate?: (pixels: string) => Fate | undefined;
  /** RSA key to sign with (PKCS#8 PEM), made when not there; one of 2048 bits for this run unless given. */
  readonly signingKeyPath?: string;
}

/** The options that can be written as JSON. */
const optionsSchema = z.strictObject({
  key: z.string().min(64).optional(),
  serviceTime: z.number().nonnegative().optional(),
  workers: z.int().min(0).max(1000).optional(),
  limit: z.int().min(0).optional(),
  slack: z.int().min(0).optional(),
  rate: rateRuleSchema.optional(),
  eta: z.union([z.literal(false), z.number()]).optional(),
  known: z.enum(['made', 'nothing', 'everything']).optional(),
  lookGap: z.number().nonnegative().optional(),
  grants: z.record(z.string(), z.unknown()).optional(),
  weather: weatherPlanSchema.optional(),
  signingKeyPath: z.string().optional(),
});

/** @throws Error that says which option is wrong */
export function parseOptions(json: string): HostedOptions {
  const parsed = optionsSchema.safeParse(JSON.parse(json));
  if (parsed.success)
    return Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
  throw new Error(`These options cannot be used: ${z.prettifyError(parsed.error)}`);
}
