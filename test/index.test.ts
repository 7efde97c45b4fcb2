import type { Agent, ProxyAgent } from 'undici';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type {
  AccountClient,
  ApiKey,
  CallOptions,
  GeneratedSkin,
  Job,
  JobAnswer,
  JobEvent,
  RateLimit,
  ReceivedJobStatus,
  RetryPolicy,
  ServiceErrorCode,
  Skin,
  SkinClient,
  SkinClientOptions,
  SkinOptions,
  SkinPage,
  SkinSource,
  User,
} from '../src/index.ts';
import * as face from '../src/index.ts';

describe('the public face of the package', () => {
  test('exports these names and no others', () => {
    expect(Object.keys(face).sort()).toEqual([
      'BatchSetupError',
      'DeliveryError',
      'InsecureHttpError',
      'InvalidImageError',
      'JobFailedError',
      'LockfileError',
      'MAX_SET',
      'NetworkError',
      'REPORT_REASONS',
      'SKIN_NAME_RULE',
      'ServiceError',
      'SkinClient',
      'SkinsmithError',
      'UnreadableAnswerError',
      'VERSION',
      'WebhookError',
      'classifyFailure',
      'convert',
      'isPending',
      'openService',
      'parseBaseUrl',
      'renderSkin',
      'setNameProblem',
      'skinNameProblem',
      'verifyWebhook',
    ]);
  });

  test('exports errors that all extend SkinsmithError', () => {
    const { JobFailedError, NetworkError, ServiceError, UnreadableAnswerError, SkinsmithError } = face;
    for (const kind of [JobFailedError, NetworkError, ServiceError, UnreadableAnswerError]) {
      expect(kind.prototype).toBeInstanceOf(SkinsmithError);
      expect(kind.prototype).toBeInstanceOf(Error);
    }
  });

  test('types what goes in and what comes out', () => {
    expectTypeOf<SkinClient['generate']>().parameter(0).toEqualTypeOf<SkinSource>();
    expectTypeOf<SkinClient['generate']>().parameter(1).toEqualTypeOf<SkinOptions | undefined>();
    expectTypeOf<SkinClient['generate']>().returns.resolves.toEqualTypeOf<GeneratedSkin>();
    expectTypeOf<SkinClient['queue']>().returns.resolves.toEqualTypeOf<JobAnswer>();
    expectTypeOf<SkinClient['jobs']>().returns.resolves.toEqualTypeOf<readonly Job[]>();
    expectTypeOf<SkinClient['events']>().returns.toEqualTypeOf<AsyncIterable<JobEvent>>();
    expectTypeOf<SkinClient['texture']>().returns.resolves.toEqualTypeOf<Uint8Array>();
    expectTypeOf<SkinClient['skin']>().returns.resolves.toEqualTypeOf<Skin>();
    expectTypeOf<SkinClient['publicSkins']>().returns.resolves.toEqualTypeOf<SkinPage>();
    expectTypeOf<SkinClient['delay']>().returns.resolves.toEqualTypeOf<RateLimit>();
    expectTypeOf<SkinClient['account']>().toEqualTypeOf<AccountClient>();
    expectTypeOf<AccountClient['changeKey']>().returns.resolves.toEqualTypeOf<ApiKey>();
    expectTypeOf<AccountClient['setUser']>().returns.resolves.toEqualTypeOf<User>();
    expectTypeOf<AccountClient['revokeKey']>().returns.resolves.toBeVoid();
  });

  test("types a service's jobs, and how a call is repeated", () => {
    expectTypeOf<Extract<JobEvent, { type: 'jobs' }>['jobs']>().toEqualTypeOf<readonly Job[]>();
    expectTypeOf<Extract<JobEvent, { type: 'job' }>['state']>().toEqualTypeOf<JobAnswer>();
    expectTypeOf<JobAnswer['links']>().toEqualTypeOf<Readonly<Record<string, string>>>();
    expectTypeOf<CallOptions['retry']>().toEqualTypeOf<Partial<RetryPolicy> | undefined>();
  });

  test('types dispatchers only by what it uses, so that any version of undici fits', () => {
    expectTypeOf<ProxyAgent>().toExtend<SkinClientOptions['dispatcher']>();
    expectTypeOf<Pick<Agent, 'request'>>().toExtend<SkinClientOptions['dispatcher']>();
  });

  test('allows undefined in the types of options', () => {
    type Options = Required<Omit<SkinClientOptions, 'baseUrl'>>;
    expectTypeOf<{ [K in keyof Options]: undefined }>().toExtend<Omit<SkinClientOptions, 'baseUrl'>>();
  });

  test('types error codes as strings, with the known ones for editors', () => {
    expectTypeOf<'job_limit'>().toExtend<ServiceErrorCode>();
    expectTypeOf<string>().toExtend<ServiceErrorCode>();
  });

  test('types a source as exactly one of its kinds', () => {
    expectTypeOf<{ file: Blob }>().toExtend<SkinSource>();
    expectTypeOf<{ file: ArrayBuffer }>().toExtend<SkinSource>();
    expectTypeOf<{ file: Buffer; fileName: string }>().toExtend<SkinSource>();
    expectTypeOf<{ url: string }>().toExtend<SkinSource>();
    expectTypeOf<{ user: string }>().toExtend<SkinSource>();
    expectTypeOf<{ path: string }>().not.toExtend<SkinSource>();
    expectTypeOf<{ file: string }>().not.toExtend<SkinSource>();
  });

  test('types what a skin and a job hold', () => {
    expectTypeOf<Skin['texture']['data']>().toEqualTypeOf<{ value: string; signature: string }>();
    expectTypeOf<Skin['variant']>().toEqualTypeOf<'classic' | 'slim' | 'unknown'>();
    expectTypeOf<Skin['visibility']>().toEqualTypeOf<'public' | 'unlisted' | 'private'>();
    expectTypeOf<ReceivedJobStatus>().toEqualTypeOf<
      'waiting' | 'processing' | 'completed' | 'failed' | 'unknown'
    >();
    expectTypeOf<Job['status']>().toEqualTypeOf<ReceivedJobStatus>();
    expectTypeOf<SkinOptions['variant']>().not.toBeString();
  });
});
