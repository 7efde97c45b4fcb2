import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { GlobalFlags } from '../../../src/cli/config/global-flags.ts';
import { openContext } from '../../../src/cli/context/open-context.ts';
import { Setup } from '../../../src/cli/doctor/setup.ts';
import { type Exchange, scriptedServer } from '../client/scripted-server.ts';
import { ownFolder } from '../server/own-folder.ts';
import { testIo } from './test-io.ts';

export interface PatientOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: GlobalFlags;
  /** Milliseconds to the first answer. */
  readonly limit?: number;
}

/** A set-up that one check can look at: settings and folders of its own, here `config` and `data` of `folder`. */
export async function makePatient({ env = {}, flags = {}, limit = 2_000 }: PatientOptions = {}) {
  const folder = await ownFolder();
  const folders = {
    SKINSMITH_CONFIG_DIR: join(folder, 'config'),
    SKINSMITH_DATA_DIR: join(folder, 'data'),
  };
  const { signal } = new AbortController();
  const context = openContext({ io: testIo().io, env: { ...folders, ...env }, signal, flags });
  onTestFinished(async () => await context.close());
  return { folder, context, setup: new Setup(context, { stop: signal, connectLimit: limit }) };
}

export const KEY = `${'k'.repeat(60)}wxyz`;

/** One that uses a service which is asked just this, with a key unless it is empty. */
export async function servedPatient(script: readonly Exchange[], key = KEY) {
  const server = await scriptedServer(script);
  const env = { SKINSMITH_BASE_URL: server.url, ...(key && { SKINSMITH_API_KEY: key }) };
  return { ...(await makePatient({ env })), server };
}

export const errors = (code: string, message: string) => ({ success: false, errors: [{ code, message }] });
/** Answers of a service of which nothing more is known. */
export const NOBODY: Exchange = {
  expect: 'GET /v2/me',
  status: 404,
  json: errors('user_not_found', 'No user.'),
};
export const READY: Exchange = {
  expect: 'GET /ready',
  json: { status: 'ready', reasons: [], version: '9.9.9' },
};
export const NOT_FOUND = { status: 404, json: errors('not_found', 'Nothing.') } as const;

const window = { limit: 60, remaining: 40 };
export const rateLimit = (changes: object = {}) => ({
  next: { absolute: 0, relative: 0 },
  delay: { millis: 0 },
  limit: { ...window, minute: window, hour: { limit: 100, remaining: 90 } },
  ...changes,
});
export const me = (changes: object = {}) => ({
  success: true,
  user: 'ab',
  name: 'zoe',
  grants: { plan: 'pro', queue: 2 },
  rateLimit: rateLimit(),
  ...changes,
});
