import { expect, test } from 'vitest';
import { type Proxies, proxyFor, proxyName } from '../../src/base/proxies.ts';

const HTTP = { url: 'http://anna:hunter2@a.example:3128/', from: 'HTTP_PROXY' };
const HTTPS = { url: 'https://b.example/', from: 'HTTPS_PROXY' };

function through(address: string, proxies: Partial<Proxies> = {}): string | undefined {
  return proxyFor(new URL(address), { http: HTTP, https: HTTPS, except: '', ...proxies })?.from;
}

test('An address goes through the proxy for its scheme, and directly without one', () => {
  expect(through('http://skins.example')).toBe('HTTP_PROXY');
  expect(through('https://skins.example:8443')).toBe('HTTPS_PROXY');
  expect(through('https://skins.example', { https: undefined })).toBeUndefined();
});

test.each([
  'http://localhost:7546',
  'http://localhost.:7546',
  'http://skins.localhost',
  'https://127.0.0.1',
  'http://127.1',
  'http://127.8.9.1:80',
  'http://[::1]:7546',
  'http://[::ffff:127.0.0.1]',
])('This machine is never reached through a proxy: %s', (address) => {
  expect(through(address)).toBeUndefined();
});

test.each([
  ['skins.example', 'https://skins.example'],
  ['SKINS.example.', 'https://skins.example'],
  ['example', 'https://skins.example'],
  ['.example', 'https://skins.example'],
  ['*.example', 'https://skins.example.'],
  ['a.example, skins.example', 'https://skins.example'],
  ['a.example skins.example', 'https://skins.example'],
  ['skins.example:443', 'https://skins.example'],
  ['*', 'https://skins.example'],
  ['10.0.0.0/8', 'http://10.1.2.3'],
  ['10.1.2.3', 'http://10.1.2.3:8080'],
  ['10.1.2.3:8080', 'http://10.1.2.3:8080'],
  ['fd00::/8', 'http://[fd00::7]'],
  ['fd00::7', 'http://[fd00::7]'],
  ['[fd00::7]:80', 'http://[fd00::7]'],
])('NO_PROXY=%s applies to %s', (except, address) => {
  expect(through(address, { except })).toBeUndefined();
});

test.each([
  ['', 'https://skins.example'],
  [',', 'https://skins.example'],
  ['kins.example', 'https://skins.example'],
  ['a.skins.example', 'https://skins.example'],
  ['skins.example:80', 'https://skins.example'],
  ['skins.example.org', 'https://skins.example'],
  ['10.0.0.0/8', 'http://11.1.2.3'],
  ['10.0.0.0/99', 'http://10.1.2.3'],
  ['3', 'http://10.1.2.3'],
  ['fd00::/8', 'http://10.1.2.3'],
  ['[', 'https://skins.example'],
])('NO_PROXY=%j does not apply to %s', (except, address) => {
  expect(through(address, { except })).toBeDefined();
});

test('The name of a proxy has no password in it', () => {
  expect(proxyName(HTTP)).toBe('the proxy http://a.example:3128 (HTTP_PROXY)');
});
