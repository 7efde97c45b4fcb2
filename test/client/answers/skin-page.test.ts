import { expect, test } from 'vitest';
import { skinPage } from '../../../src/client/answers.ts';

const skins = [{ uuid: 'a' }];

test('A page continues where its link says, or its pagination', () => {
  const pagination = { next: { after: 'a' } };
  expect(skinPage('/v2/skins?', { skins, pagination })).toEqual({ skins, next: 'a' });
  const links = { next: '/v2/skins?after=b' };
  expect(skinPage('/v2/skins?', { skins, pagination, links, total: 3 })).toEqual({
    skins,
    next: 'b',
    total: 3,
  });
});

test('The first page again, instead of the one after a skin that is gone, is an error', () => {
  const warnings = [{ code: 'anchor_not_found', message: 'pagination anchor not found' }];
  expect(() => skinPage('/v2/skins?after=b', { skins, warnings })).toThrow(
    expect.objectContaining({
      name: 'ServiceError',
      code: 'anchor_not_found',
      isPassing: false,
      message: expect.stringContaining('from its start'),
    }),
  );
});
