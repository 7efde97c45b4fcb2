import { createPrivateKey, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeEach, expect, inject, onTestFinished } from 'vitest';
import { PAGES } from '../../../src/pages/page-routes.ts';
import { openStoreOf } from '../../../src/server/assembly/service-parts.ts';
import { type Draw, RenderThread } from '../../../src/server/pictures/render-thread.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../../src/server/server.ts';
import type { OpenStore } from '../../../src/server/store/db.ts';
import { NO_GAME } from '../fake-game/nowhere.ts';
import { storeFor } from './chosen-store.ts';
import { ownFolder } from './own-folder.ts';
import { TestCaller } from './test-caller.ts';

const STORE_FILE = 'skinsmith.db';
const KEY_FILE = 'signing-key.pem';

export interface ServerUnderTest extends Omit<RunningServer, 'examineSignIn'> {
  readonly dataDir: string;
  /** Calls with the owner's key. */
  readonly owner: TestCaller;
  /** Calls without a key, from the given loopback address. */
  anonymous(address?: string): TestCaller;
  /** A user created with the owner's key, who calls with another key. */
  user(name: string): Promise<TestCaller>;
}

const thread = new RenderThread();

/**
 * Draws the pictures of all services here, in one thread: to start one for each takes several times as long as to draw.
 */
export const drawInOneThread: Draw = async (job) => await thread.draw(job);

/** Puts the shared signing key into a data folder: making one takes a fifth of a second. */
export async function giveSigningKey(dataDir: string): Promise<void> {
  await copyFile(inject('signingKeyPath'), join(dataDir, KEY_FILE));
}

/** For services that sign with the key file in their data folder, which is as long as the game's own. */
export const WITH_KEY_FILE = { signingKey: undefined } as const;

/**
 * What a service signs with unless its data folder has a key: a short key, with which signing takes a tenth of the
 * time, and which all services of the tests share.
 */
export function usualKey(dataDir: string): KeyObject | undefined {
  if (existsSync(join(dataDir, KEY_FILE))) return undefined;
  shortKey ??= createPrivateKey(readFileSync(inject('shortKeyPath')));
  return shortKey;
}

let shortKey: KeyObject | undefined;

/** Puts a store into a data folder, and a signing key if the options want it there. */
export async function giveMaterials(dataDir: string, options: Partial<ServerOptions>): Promise<void> {
  await Promise.all([giveStore(dataDir), 'signingKey' in options && giveSigningKey(dataDir)]);
}

/** Puts a store without rows into a data folder: making its schema takes as long as a test. */
export async function giveStore(dataDir: string): Promise<void> {
  await copyFile(inject('storePath'), join(dataDir, STORE_FILE));
}

/** The service on a free loopback port over a data folder of its own, closed when the test ends. */
export async function runServer(
  options: Partial<ServerOptions> & { dataDir?: string } = {},
): Promise<ServerUnderTest> {
  const dataDir = options.dataDir ?? (await ownFolder());
  if (options.dataDir === undefined) await giveMaterials(dataDir, options);
  const store = await storeFor(dataDir);
  const server = await startServer({
    port: 0,
    gameAddresses: NO_GAME,
    draw: drawInOneThread,
    pages: PAGES,
    signingKey: usualKey(dataDir),
    ...store,
    ...options,
    dataDir,
  });
  let closing: Promise<void> | undefined;
  const close: RunningServer['close'] = async (how) => {
    closing ??= server.close(how);
    await closing;
  };
  onTestFinished(async () => await close({ limit: 1_000 }));
  const { url, key } = server;
  const owner = new TestCaller(url, { key, dataDir });
  return {
    url,
    key,
    close,
    dataDir,
    owner,
    anonymous: (address) => new TestCaller(url, { address, dataDir }),
    user: async (name) => {
      const { body } = await owner.json('/v2/account/keys', { user: name });
      return new TestCaller(url, { key: String(body.key?.secret), dataDir });
    },
  };
}

/**
 * A second connection to the store of a server, for what cannot be brought about over HTTP. A folder without a store
 * gets one without rows.
 */
export async function openOwnStore(dataDir: string): Promise<OpenStore> {
  if (!existsSync(join(dataDir, STORE_FILE))) await giveStore(dataDir);
  const store = await openStoreOf({ dataDir, ...(await storeFor(dataDir)) });
  onTestFinished(async () => await store.close());
  return store;
}

/** Fails the suite when a test leaves a server listening. Call it once at the top of a file. */
export function guardAgainstLeaks(): void {
  const verify = async () => {
    // A closed server counts until the next turn of the event loop.
    await nextTurn();
    await nextTurn();
    const listening = process.getActiveResourcesInfo().filter((resource) => resource === 'TCPServerWrap');
    expect(listening, 'servers that a test left running').toEqual([]);
  };
  beforeEach(verify);
  afterAll(verify);
}
