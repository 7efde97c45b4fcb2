import { z } from 'zod';
import { type Alteration, alterationSchema } from './alter.ts';
import type { Fate } from './fates.ts';
import type { PlannedJob } from './job-book.ts';
import type { HostedRequest, RequestKind } from './requests.ts';
import { type RateRule, rateRuleSchema } from './traffic.ts';
import { type Weather, type WeatherPlan, weatherPlanSchema } from './weather.ts';

/** The published server's feature flags: nothing is refused for a rate unless one of them says so. */
export interface HostedFlags {
  /** `generator.per_minute.block`: POSTs beyond the rate are refused, not only spread over time. */
  readonly blockPerMinute?: boolean | undefined;
  /** `generator.concurrency.block`: POSTs beyond `concurrency` unfinished jobs are refused. */
  readonly blockConcurrency?: boolean | undefined;
  /** `api.block_skin_generation`: generation is switched off; a text is the operator's message. */
  readonly blockGeneration?: boolean | string | undefined;
}

/** How the service behaves. Times in milliseconds. */
export interface HostedOptions {
  /** API key of the one user; see `HostedService.key`. */
  readonly key?: string;
  /** How long a job is processed, 40 unless given; a list is gone through job by job, again and again. */
  readonly serviceTime?: number | readonly number[] | ((job: PlannedJob) => number);
  /** Jobs processed at a time; 5 unless given, 0: none ever. */
  readonly workers?: number;
  /** Unfinished jobs the caller may have; 5 unless given. */
  readonly limit?: number;
  /** How many more than `limit` it lets through by mistake; 0 unless given. */
  readonly slack?: number;
  /** The caller's rate limit; unless given none is looked up, and answers tell zeros. */
  readonly rate?: RateRule;
  /** Whether the jobs of a caller with a rate are spread over time (`notBefore`); true unless given. */
  readonly spread?: boolean;
  /** Pause between two requests of a caller, told everywhere, asked for by POST /v2/generate only; none unless given. */
  readonly delay?: number;
  /** Unfinished jobs that `blockConcurrency` allows and the grants tell; as many as `workers` unless given. */
  readonly concurrency?: number;
  readonly flags?: HostedFlags;
  /** Added to the `eta` of a new job, 0 unless given; false: none is told. */
  readonly eta?: false | number;
  /** What is answered at once as a duplicate: what it has made (unless given), nothing, everything, or also these. */
  readonly known?: 'made' | 'nothing' | 'everything' | ((pixels: string) => boolean);
  /** Shortest time between two looks at one job before a 429; 0 unless given. */
  readonly lookGap?: number;
  /** How long POST /v2/generate waits, instead of its `timeout`. */
  readonly patience?: number;
  /** Merged into the grants of GET /v2/me. */
  readonly grants?: Readonly<Record<string, unknown>>;
  /** What a request takes each way: 0 over a network, 5 in memory unless given. */
  readonly latency?: number | ((kind: RequestKind) => number);
  /** How long ago the moment is as of which a read is answered, as by a replica that is behind; 0 unless given. */
  readonly lag?: (request: HostedRequest) => number;
  /** How far the service's clock is ahead of this machine's; 0 unless given. */
  readonly clockOffset?: number;
  /** This machine's clock; the real one unless given. */
  readonly now?: () => number;
  /** Changes what answers say, see alter.ts. */
  readonly alter?: Alteration;
  /** Trouble on the way; fine unless given. */
  readonly weather?: WeatherPlan | Weather;
  /** What becomes of the jobs of a picture, by its pixel hash; all is well unless given. */
  readonly fate?: (pixels: string) => Fate | undefined;
  /** RSA key to sign with (PKCS#8 PEM), made when not there; one of 2048 bits for this run unless given. */
  readonly signingKeyPath?: string;
}

const flagsSchema = z.strictObject({
  blockPerMinute: z.boolean().optional(),
  blockConcurrency: z.boolean().optional(),
  blockGeneration: z.union([z.boolean(), z.string()]).optional(),
});

/** The options that can be written as JSON. */
const optionsSchema = z.strictObject({
  key: z.string().min(64).optional(),
  serviceTime: z.union([z.number().nonnegative(), z.array(z.number().nonnegative()).min(1)]).optional(),
  workers: z.int().min(0).max(1000).optional(),
  limit: z.int().min(0).optional(),
  slack: z.int().min(0).optional(),
  rate: rateRuleSchema.optional(),
  spread: z.boolean().optional(),
  delay: z.number().nonnegative().optional(),
  concurrency: z.int().min(0).optional(),
  flags: flagsSchema.optional(),
  eta: z.union([z.literal(false), z.number()]).optional(),
  known: z.enum(['made', 'nothing', 'everything']).optional(),
  lookGap: z.number().nonnegative().optional(),
  patience: z.number().nonnegative().optional(),
  grants: z.record(z.string(), z.unknown()).optional(),
  latency: z.number().nonnegative().optional(),
  clockOffset: z.number().optional(),
  alter: alterationSchema.optional(),
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

/** What a request of this kind takes each way. */
export function latencyOf({ latency = 0 }: HostedOptions, kind: RequestKind): number {
  return typeof latency === 'number' ? latency : latency(kind);
}
