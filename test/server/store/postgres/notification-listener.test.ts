import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NotificationListener } from '../../../../src/server/store/postgres/notification-listener.ts';
import { connectionConfig, POOL_OPTIONS } from '../../../../src/server/store/postgres/pool.ts';
import { fragileFront } from '../../../support/postgres/fragile-front.ts';
import { EMPTYING, ownDatabase } from '../../../support/postgres/own-database.ts';
import { poll } from '../../../support/server/poll.ts';

async function listening(url: string, times?: { call: number; deaf: number }) {
  const listener = new NotificationListener(connectionConfig(url, POOL_OPTIONS), times);
  onTestFinished(async () => await listener.stop());
  const heard: string[] = [];
  listener.onNotification((text) => heard.push(text));
  await untilListening(listener);
  return { listener, heard };
}

async function untilListening(listener: NotificationListener): Promise<void> {
  await poll(
    async () => listener.isListening,
    (isListening) => isListening,
  );
}

async function untilHeard(heard: readonly string[], text: string): Promise<void> {
  await poll(
    async () => heard.includes(text),
    (isThere) => isThere,
  );
}

/** Ends all connections that listen to this database. */
async function endListeners(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name <> '${EMPTYING}'`);
  await client.end();
}

describe('A listener', () => {
  test('receives what others send, in order, and not its own messages', async () => {
    const url = await ownDatabase();
    const [one, two] = [await listening(url), await listening(url)];
    for (const text of ['a', 'b', 'c']) one.listener.notify(text);
    two.listener.notify('d');
    await Promise.all([untilHeard(two.heard, 'c'), untilHeard(one.heard, 'd')]);
    expect(two.heard).toEqual(['a', 'b', 'c']);
    expect(one.heard).toEqual(['d']);
  });

  test('whose connection was ended connects again, and says that it may have missed something', async () => {
    const url = await ownDatabase();
    const [one, two] = [await listening(url), await listening(url)];
    one.listener.takeMissed();
    two.listener.takeMissed();
    await endListeners(url);
    await poll(
      async () => one.listener.takeMissed(),
      (hasMissed) => hasMissed,
    );
    await Promise.all([untilListening(one.listener), untilListening(two.listener)]);
    one.listener.notify('back');
    await untilHeard(two.heard, 'back');
  });

  test('that reconnects makes the other listeners check the store too', async () => {
    const url = await ownDatabase();
    const one = await listening(url);
    one.listener.takeMissed();
    await listening(url);
    await poll(
      async () => one.listener.takeMissed(),
      (hasMissed) => hasMissed,
    );
  });

  test('notices that its connection is half open', async () => {
    const front = await fragileFront(await ownDatabase());
    const { listener } = await listening(front.url, { call: 20, deaf: 200 });
    listener.takeMissed();
    front.hold();
    await poll(
      async () => listener.isListening,
      (isListening) => !isListening,
    );
    await untilListening(listener);
    expect(listener.takeMissed()).toBe(true);
  });

  test('stops while it waits for a missing database', async () => {
    const url = Object.assign(new URL(await ownDatabase()), { port: '1' }).href;
    const listener = new NotificationListener(connectionConfig(url, POOL_OPTIONS));
    listener.notify('nobody hears this');
    expect(listener.isListening).toBe(false);
    await listener.stop();
  });
});
