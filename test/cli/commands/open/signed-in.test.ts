import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type OpenOptions, runOpen } from '../../../../src/cli/commands/open.ts';
import { writeMeta } from '../../../../src/server/store/meta.ts';
import { openPostgresDb } from '../../../../src/server/store/postgres/postgres-store.ts';
import { startChromium } from '../../../support/chromium/chromium.ts';
import { runCommand } from '../../../support/cli/run-command.ts';
import { PlainBrowser } from '../../../support/pages/browser.ts';
import { ownDatabase } from '../../../support/postgres/own-database.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import {
  giveSigningKey,
  giveStore,
  openOwnStore,
  runServer,
  WITH_KEY_FILE,
} from '../../../support/server/running-server.ts';
import { webServer } from '../../../support/server/web-server.ts';

interface Opened {
  /** The addresses that the browser was told to open. */
  readonly urls: string[];
  /** Whether the first of them signed the browser in. */
  readonly isSignedIn: boolean;
  readonly ran: Awaited<ReturnType<typeof runCommand>>;
}

/** Runs the command until it has opened the browser, which is led to the link by a file and asks before it signs in. */
async function open(options: Omit<OpenOptions, 'browser'>): Promise<Opened> {
  const interrupt = new AbortController();
  const home = await ownFolder();
  const urls: string[] = [];
  let signedIn: Promise<boolean> | undefined;
  const launch = async (path: string) => {
    const url = linkIn(await readFile(path, 'utf8'));
    urls.push(url);
    signedIn = signsIn(url); // the command may end as soon as the link is used
    await signedIn;
    interrupt.abort();
    return true;
  };
  const run = async (context: Parameters<typeof runOpen>[1]) =>
    await runOpen({ ...options, browser: true }, context, launch);
  const flags = { quiet: false };
  const ran = await runCommand(run, { signal: interrupt.signal, flags, env: { HOME: home } });
  expect(await readdir(home)).toEqual([]);
  return { urls, isSignedIn: (await signedIn) ?? false, ran };
}

function linkIn(page: string): string {
  return /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page)?.[1] ?? '';
}

/** Whether a browser that comes from a file is signed in once the person has agreed. */
async function signsIn(url: string): Promise<boolean> {
  const { origin, pathname, search, searchParams } = new URL(url);
  const browser = new PlainBrowser(origin);
  await browser.open(`${pathname}${search}`, { headers: { 'sec-fetch-site': 'cross-site' } });
  if (browser.cookie !== undefined) return false;
  await browser.open(pathname, { form: { secret: searchParams.get('secret') ?? '' } });
  return (await browser.open('/ui/sessions')).status === 200;
}

test('open starts a service where none runs, and signs the browser in', async () => {
  const data = await ownFolder();
  await Promise.all([giveSigningKey(data), giveStore(data)]);
  const { urls, isSignedIn, ran } = await open({ data, port: 0 });
  expect(ran.status).toBe(0);
  expect(isSignedIn).toBe(true);
  expect(ran.out).toBe(`${urls[0]}\n`);
});

test('open uses the service that runs', async () => {
  const server = await runServer();
  const { db } = await openOwnStore(server.dataDir);
  await writeMeta(db, 'public-url', server.url);
  const { urls, isSignedIn, ran } = await open({ data: server.dataDir });
  expect(ran.status).toBe(0);
  expect(isSignedIn).toBe(true);
  expect(urls[0]).toMatch(new RegExp(`^${server.url}/ui/sign-in/link\\?secret=`));
});

test('open uses the service that runs on a port that the system chose, and starts another when that service has ended', async () => {
  const server = await runServer(WITH_KEY_FILE);
  const { urls, isSignedIn, ran } = await open({ data: server.dataDir });
  expect([ran.status, isSignedIn, new URL(urls[0] ?? '').origin]).toEqual([0, true, server.url]);
  await server.close();
  const again = await open({ data: server.dataDir, port: 0 });
  expect([again.ran.status, again.isSignedIn]).toEqual([0, true]);
});

describe('Another program at the recorded address gets no secret, and the user is warned:', () => {
  /** Opens the browser where such a program listens, which answers after it has seen the request. */
  async function openBeside(answer: (path: string, response: ServerResponse) => Promise<void>) {
    const server = await runServer();
    const seen: string[] = [];
    const squatter = await webServer(async ({ url = '' }, response) => {
      seen.push(url);
      await answer(`${server.url}${url}`, response);
    });
    const { db } = await openOwnStore(server.dataDir);
    await writeMeta(db, 'public-url', squatter.url);
    const opened = await open({ data: server.dataDir });
    expect([opened.isSignedIn, new URL(opened.urls[0] ?? '').origin]).toEqual([true, server.url]);
    expect(seen).toEqual([expect.stringMatching(/^\/ui\/sign-in\/proof\?/)]);
    expect(opened.ran.err).toContain(`The program at ${squatter.url} does not prove`);
  }

  test('one that looks like a service', async () => {
    await openBeside(async (_, response) => {
      response.setHeader('MineSkin-Server', 'skinsmith');
      response.end('one moment');
    });
  });

  test('one that claims to have a proof', async () => {
    await openBeside(async (_, response) => {
      response.writeHead(204, { 'Skinsmith-Proof': 'A'.repeat(43) });
      response.end();
    });
  });

  test('one that forwards requests to the service', async () => {
    await openBeside(async (url, response) => {
      const { status, headers } = await fetch(url);
      response.writeHead(status, { 'Skinsmith-Proof': headers.get('skinsmith-proof') ?? '' });
      response.end();
    });
  });
});

test('A person in front of a browser is signed in by one click, and the command ends by itself', async () => {
  const server = await runServer();
  const home = await ownFolder();
  const browser = await startChromium();
  onTestFinished(async () => await browser.close());
  const page = await browser.newPage();
  const launch = async (path: string) => {
    await page.goto(pathToFileURL(path).href);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    return true;
  };
  const run = async (context: Parameters<typeof runOpen>[1]) =>
    await runOpen({ data: server.dataDir, browser: true }, context, launch);
  const ran = await runCommand(run, { env: { HOME: home } });
  expect([ran.status, ran.err]).toEqual([0, '']);
  expect(await readdir(home)).toEqual([]);
});

test('Ctrl-C while nobody has signed in yet interrupts the command', async () => {
  const server = await runServer();
  const home = await ownFolder();
  const interrupt = new AbortController();
  const launch = async () => {
    interrupt.abort();
    return true;
  };
  const run = async (context: Parameters<typeof runOpen>[1]) =>
    await runOpen({ data: server.dataDir, browser: true }, context, launch);
  const ran = await runCommand(run, { signal: interrupt.signal, env: { HOME: home } });
  expect(ran.told).toMatchObject({ code: 'interrupted', exit: 'interrupted' });
  expect(await readdir(home)).toEqual([]);
});

test('open prints the link for the person to open where no browser is found', async () => {
  const server = await runServer();
  const run = async (context: Parameters<typeof runOpen>[1]) =>
    await runOpen({ data: server.dataDir, browser: true }, context, async () => false);
  const ran = await runCommand(run, { flags: { quiet: false }, env: { HOME: await ownFolder() } });
  expect([ran.status, ran.err]).toEqual([0, expect.stringContaining('Open the link yourself')]);
  expect(await signsIn(ran.out.trim())).toBe(true);
});

/** What every server that is told its address does. */
async function rememberPublicUrl(database: string, url: string): Promise<void> {
  const db = await openPostgresDb(database);
  await writeMeta(db, 'public-url', url);
  await db.destroy();
}

describe('With PostgreSQL', () => {
  test('open uses the servers over the database, and its link works only once on all of them', async () => {
    const url = await ownDatabase();
    const [one, other] = [await runServer({ store: { url } }), await runServer({ store: { url } })];
    await rememberPublicUrl(url, one.url);
    const { urls, isSignedIn, ran } = await open({ data: await ownFolder(), store: url });
    expect(ran.status).toBe(0);
    expect(isSignedIn).toBe(true);
    const link = new URL(urls[0] ?? '');
    expect(link.origin).toBe(one.url);
    const again = new PlainBrowser(other.url);
    expect((await again.open(`${link.pathname}${link.search}`)).status).toBe(410);
  });

  test('open starts a server over the database where none answers', async () => {
    const data = await ownFolder();
    await giveSigningKey(data);
    const url = await ownDatabase();
    await rememberPublicUrl(url, 'http://127.0.0.1:1');
    const { isSignedIn, ran } = await open({ data, store: url, port: 0 });
    expect(ran.err).not.toContain('error');
    expect([ran.status, isSignedIn]).toEqual([0, true]);
  });
});
