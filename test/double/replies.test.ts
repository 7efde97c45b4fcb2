import { expect, test } from 'vitest';
import { ABSENT } from '../../src/double/replies.ts';
import { callHosted, submit } from '../support/hosted/run-hosted.ts';

test('Answers are patched: in every row of a list, with null, with missing fields', async () => {
  const { caller } = await callHosted({
    alter: {
      me: { user: null, grants: ABSENT },
      list: { jobs: { eta: null } },
      submit: { job: { eta: 'soon' } },
    },
  });
  expect((await submit(caller, 1)).body.job).toMatchObject({ eta: 'soon', status: 'waiting' });
  expect((await caller.get('/v2/queue')).body.jobs).toMatchObject([{ eta: null }]);
  const { body } = await caller.get('/v2/me');
  expect([body.user, 'grants' in body]).toEqual([null, false]);
});

test('Answers are changed by a function that knows the request', async () => {
  const { caller } = await callHosted({
    alter: (content, { kind }) => (kind === 'me' ? { ...content, grants: 'all' } : content),
  });
  expect((await caller.get('/v2/me')).body.grants).toBe('all');
  expect((await caller.get('/v2/queue')).body.jobs).toEqual([]);
});
