import { expect, test } from 'vitest';
import { fetchProxies, readProxies } from '../../../../src/cli/config/network-settings.ts';

const A = 'http://a.example:3128';
const B = 'https://anna:hunter2@b.example';

test('Without proxy variables, or with empty ones, there is no proxy', () => {
  expect(readProxies({})).toBeUndefined();
  expect(readProxies({ NO_PROXY: '*', HTTP_PROXY: '', https_proxy: ' ' })).toBeUndefined();
});

test.each([
  ['its own for each scheme', { HTTP_PROXY: A, HTTPS_PROXY: B }, ['HTTP_PROXY', 'HTTPS_PROXY']],
  ['http for both, if there is no other', { HTTP_PROXY: A }, ['HTTP_PROXY', 'HTTP_PROXY']],
  ['https for https alone', { HTTPS_PROXY: A }, [undefined, 'HTTPS_PROXY']],
  ['lower case first', { http_proxy: A, HTTP_PROXY: B }, ['http_proxy', 'http_proxy']],
  [
    'none where lower case is empty',
    { https_proxy: '', HTTPS_PROXY: A, http_proxy: B },
    ['http_proxy', 'http_proxy'],
  ],
])('The proxy variables choose the proxy: %s', (_, env, from) => {
  const { http, https } = readProxies(env) ?? {};
  expect([http?.from, https?.from]).toEqual(from);
});

test.each([
  ['proxy.example:3128', 'http://proxy.example:3128/'],
  ['anna:hunter2@proxy.example', 'http://anna:hunter2@proxy.example/'],
  [B, 'https://anna:hunter2@b.example/'],
])('%s is a proxy', (HTTP_PROXY, url) => {
  expect(readProxies({ HTTP_PROXY })?.http?.url).toBe(url);
});

test('Hosts without a proxy are named in either case', () => {
  expect(readProxies({ HTTP_PROXY: A, NO_PROXY: 'x', no_proxy: 'y' })?.except).toBe('y');
  expect(readProxies({ HTTP_PROXY: A, NO_PROXY: 'x' })?.except).toBe('x');
});

test("The proxy for callers' addresses is set separately and has no exceptions", () => {
  expect(fetchProxies(undefined, { HTTP_PROXY: A })).toBeUndefined();
  const own = { url: 'http://a.example:3128/', from: '--fetch-proxy' };
  const typed = fetchProxies('a.example:3128', { SKINSMITH_FETCH_PROXY: B, NO_PROXY: '*' });
  expect(typed).toEqual({ http: own, https: own, except: '' });
  expect(fetchProxies(undefined, { SKINSMITH_FETCH_PROXY: B })?.http?.from).toBe('SKINSMITH_FETCH_PROXY');
});
