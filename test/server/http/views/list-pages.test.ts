import { expect, test } from 'vitest';
import { pageLinks, placeAfter } from '../../../../src/server/http/views.ts';

const placeOf = ({ id }: { readonly id: string }) => id;

test('A full page may be followed by another after its last entry, and a shorter page by none', () => {
  expect(placeAfter([{ id: 'a' }, { id: 'b' }], 2, placeOf)).toBe('b');
  expect(placeAfter([{ id: 'a' }], 2, placeOf)).toBeUndefined();
  expect(placeAfter([], 2, placeOf)).toBeUndefined();
});

test('Links repeat the query of the page, and lead to the next one', () => {
  expect(pageLinks('/list', { size: 2, filter: 'a b', after: 'x' }, 'y')).toEqual({
    self: '/list?size=2&filter=a+b&after=x',
    next: '/list?size=2&filter=a+b&after=y',
  });
});

test('Links leave out parameters that were not given; the last page has no link to a next one', () => {
  const query = { size: 5, filter: '', state: undefined, after: undefined };
  expect(pageLinks('/list', query, undefined)).toEqual({ self: '/list?size=5' });
  expect(pageLinks('/list', { size: 5, after: 0 }, undefined)).toEqual({ self: '/list?size=5&after=0' });
});
