import { expect } from 'vitest';
import type { OpenIdSettings } from '../../../src/server/openid/claims.ts';
import type { ServerOptions } from '../../../src/server/server.ts';
import { PlainBrowser, type Seen } from '../pages/browser.ts';
import { runServer, type ServerUnderTest } from '../server/running-server.ts';
import { FakeProvider } from './fake-provider.ts';

/** Where the provider of the tests is. */
export const LOOPBACK = ['127.0.0.0/8'];

/** A provider, and a server that sends people to it. */
export interface World {
  readonly provider: FakeProvider;
  readonly server: ServerUnderTest;
}

/** A provider, and a server with it; both end with the test. */
export async function world(
  settings: Partial<OpenIdSettings> = {},
  options: Partial<ServerOptions> = {},
): Promise<World> {
  const provider = await FakeProvider.start();
  const openId = provider.settings(settings);
  return { provider, server: await runServer({ openId, allowedNetworks: LOOPBACK, ...options }) };
}

/** The address at the provider that the sign-in page's link leads to. */
export async function begin(browser: PlainBrowser): Promise<string> {
  const { status, headers } = await browser.open('/ui/sign-in/provider');
  expect(status).toBe(303);
  return headers.get('location') ?? '';
}

/** Path and query of the address that the provider leads the browser back to. */
export function backFrom(provider: FakeProvider, location: string): string {
  const { pathname, search } = new URL(provider.approve(location));
  return `${pathname}${search}`;
}

/** The page to which the provider redirects. */
export async function signIn({ provider }: World, browser: PlainBrowser): Promise<Seen> {
  return await browser.open(backFrom(provider, await begin(browser)));
}

/** A new person, who has chosen to get a user. */
export async function newcomer(at: World): Promise<PlainBrowser> {
  const browser = new PlainBrowser(at.server.url);
  const back = await signIn(at, browser);
  expect([back.status, back.headers.get('location')]).toEqual([303, '/ui/sign-in/first']);
  expect((await browser.open('/ui/sign-in/first', { form: {} })).headers.get('location')).toBe('/ui/');
  return browser;
}

/** The name of the signed-in person; undefined: nobody is signed in. */
export async function nameIn(browser: PlainBrowser): Promise<string | undefined> {
  const { text } = await browser.open('/ui/make');
  return /<a href="\/ui\/(?:sessions|account)"><bdi>([^<]+)<\/bdi>/.exec(text)?.[1];
}

/** A user, as the owner sees it. */
export async function userNamed({ server }: World, name: string) {
  return (await server.owner.get(`/v2/account/users/${name}`)).body.user;
}
