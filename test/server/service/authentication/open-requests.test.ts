import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { noteRevocation, OpenRequests } from '../../../../src/server/service/authentication.ts';
import { Refusal } from '../../../../src/server/service/refusal.ts';
import { openStore } from '../../../../src/server/store/sqlite.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

/** Milliseconds within which a revocation has its effect. */
const SOON = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** The open requests of a process, over a store that another process may write to. */
async function twoProcesses() {
  const dataDir = await ownFolder();
  const [here, elsewhere] = [await openStore(dataDir), await openStore(dataDir)];
  onTestFinished(async () => {
    await Promise.all([here.close(), elsewhere.close()]);
  });
  const onError = (error: unknown) => {
    throw error;
  };
  return { here, elsewhere, requests: new OpenRequests({ db: here.db, onError }) };
}

const REVOKED = new Refusal('invalid_api_key');

/** A key, the checks of which can be waited for. */
class Key {
  isRevoked = false;
  checks = 0;
  #checked = Promise.withResolvers<void>();

  readonly verify = async (): Promise<void> => {
    this.checks++;
    this.#checked.resolve();
    if (this.isRevoked) throw REVOKED;
  };

  /** Until it is checked once more, at the latest after a second of the faked time. */
  async checkedSoon(): Promise<void> {
    this.#checked = Promise.withResolvers();
    await vi.advanceTimersByTimeAsync(SOON);
    await this.#checked.promise;
  }
}

test.each(['here', 'elsewhere'] as const)(
  'A stream and a request that waits end within a second when their key is revoked %s',
  async (place) => {
    const world = await twoProcesses();
    const key = new Key();
    const ended = new Promise((resolve) => world.requests.hold(key.verify, resolve));
    await key.checkedSoon(); // it may have been revoked just before
    const endless = async () => await new Promise<never>(() => {});
    const waiting = world.requests.during(key.verify, endless).catch((refusal: unknown) => refusal);
    key.isRevoked = true;
    await noteRevocation(world[place].db);
    await vi.advanceTimersByTimeAsync(SOON);
    expect(await Promise.all([waiting, ended])).toEqual([REVOKED, REVOKED]);
  },
);

test('Open requests are checked when rights are removed, and otherwise only once', async () => {
  const { elsewhere, requests } = await twoProcesses();
  const [first, second] = [new Key(), new Key()];
  const refused = vi.fn();
  requests.hold(first.verify, refused);
  await first.checkedSoon();
  requests.hold(second.verify, refused);
  await second.checkedSoon();
  expect(first.checks).toBe(1);
  await noteRevocation(elsewhere.db);
  await first.checkedSoon();
  expect([first.checks, second.checks]).toEqual([2, 2]);
  expect(refused).not.toHaveBeenCalled();
});

test('Requests that have ended are not notified of revocations', async () => {
  const { here, requests } = await twoProcesses();
  const [gone, open] = [new Key(), new Key()];
  const refused = vi.fn();
  const release = requests.hold(gone.verify, refused);
  expect(await requests.during(gone.verify, async () => 'the answer')).toBe('the answer');
  release();
  gone.isRevoked = true;
  open.isRevoked = true;
  const ended = new Promise((resolve) => requests.hold(open.verify, resolve));
  await noteRevocation(here.db);
  await vi.advanceTimersByTimeAsync(SOON);
  await ended;
  expect([refused.mock.calls, gone.checks]).toEqual([[], 0]);
});
