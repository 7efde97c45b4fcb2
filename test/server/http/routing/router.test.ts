import { describe, expect, test } from 'vitest';
import { Router } from '../../../../src/server/http/routing/router.ts';
import { Refusal } from '../../../../src/server/service/refusal.ts';

const PATTERNS = ['/', '/a', '/a/:id', '/a/fixed', '/a/:id/b', '/a/fixed/c', '/x/:one/:two'];

function routerOf(patterns: readonly string[]): Router<string> {
  const router = new Router<string>();
  for (const pattern of patterns) router.add(pattern, pattern);
  return router;
}

describe('Router', () => {
  test.each([
    ['/', '/', {}],
    ['/a', '/a', {}],
    ['/a/', '/a', {}],
    ['/a/7', '/a/:id', { id: '7' }],
    ['/a/7/', '/a/:id', { id: '7' }],
    ['/a/fixed', '/a/fixed', {}],
    ['/%61/fixed', '/a/fixed', {}],
    ['/a/fixed/b', '/a/:id/b', { id: 'fixed' }],
    ['/a/fixed/c', '/a/fixed/c', {}],
    ['/a/%2F%20é%25', '/a/:id', { id: '/ é%' }],
    ['/x/1/2', '/x/:one/:two', { one: '1', two: '2' }],
    ['/a/__proto__', '/a/:id', { id: '__proto__' }],
    [`/a/${'x'.repeat(128)}`, '/a/:id', { id: 'x'.repeat(128) }],
  ])('leads %s to %s', (path, target, params) => {
    expect(routerOf(PATTERNS).find(path)).toEqual({ target, pattern: target, params });
  });

  test.each(['', '/A', '/a/7/b/c', '/x/1', '/ab', 'a'])('knows no %j', (path) => {
    expect(routerOf(PATTERNS).find(path)).toBeUndefined();
  });

  test.each([
    ['/a/%', 400],
    ['/%E0%A4%A', 400],
    [`/a/${'x'.repeat(129)}`, 414],
  ])('refuses %s', (path, status) => {
    expect(() => routerOf(PATTERNS).find(path)).toThrow(
      expect.objectContaining({ constructor: Refusal, status }),
    );
  });
});
