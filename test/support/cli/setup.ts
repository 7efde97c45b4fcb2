import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import type { GlobalFlags } from '../../../src/cli/config/settings.ts';
import { openContext } from '../../../src/cli/context/context.ts';
import { Setup } from '../../../src/cli/doctor/setup.ts';
import { type Exchange, scriptedServer } from '../client/scripted-server.ts';
import { ownFolder } from '../server/own-folder.ts';
import { testIo } from './test-io.ts';

export interface SetupOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: GlobalFlags;
  /** Milliseconds to the first answer. */
  readonly limit?: number;
  readonly clock?: Clock;
}

/** A set-up that one check can look at: settings and folders of its own, here `config` and `data` of `folder`. */
export async function makeSetup({
  env = {},
  flags = {},
  limit = 60_000,
  clock = systemClock,
}: SetupOptions = {}) {
  const folder = await ownFolder();
  const folders = {
    SKINSMITH_CONFIG_DIR: join(folder, 'config'),
    SKINSMITH_DATA_DIR: join(folder, 'data'),
  };
  const { signal } = new AbortController();
  const context = Object.assign(
    openContext({ io: testIo().io, env: { ...folders, ...env }, signal, flags }),
    { clock },
  );
  onTestFinished(async () => await context.close());
  return { folder, context, setup: new Setup(context, { stop: signal, connectLimit: limit }) };
}

/** A config file of this content, in a set-up of its own. */
export async function configuredSetup(
  content: string,
  options: Parameters<typeof makeSetup>[0] = {},
  mode = 0o600,
) {
  const made = await makeSetup(options);
  const path = join(made.folder, 'config/config.json');
  await mkdir(join(made.folder, 'config'));
  await writeFile(path, content, { mode });
  await chmod(path, mode);
  return { ...made, path };
}

export const KEY = `${'k'.repeat(60)}wxyz`;

/** One that uses this service, with a key unless it is empty. */
export async function servedSetup(script: readonly Exchange[], key = KEY, clock: Clock = systemClock) {
  const server = await scriptedServer(script);
  const env = { SKINSMITH_BASE_URL: server.url, ...(key && { SKINSMITH_API_KEY: key }) };
  return { ...(await makeSetup({ env, clock })), server };
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

/** One finding of the service's own diagnosis. */
export const ok = (message: string) => ({ code: 'fine', result: 'ok', message });

/** The answer with the service's own diagnosis. */
export const diagnosis = (parts: object = {}): Exchange => ({
  expect: 'GET /v2/account/doctor',
  json: {
    success: true,
    publicUrl: 'http://127.0.0.1:1',
    generator: { kind: 'signing', findings: [ok('It signs.')] },
    store: { findings: [ok('It is sound.')] },
    ...parts,
  },
});

/** A service other than skinsmith. */
export const FOREIGN: Exchange = { expect: 'GET /ready', ...NOT_FOUND };

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
