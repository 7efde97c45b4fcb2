import { expect, test } from 'vitest';
import { isOutOfCredits, Refusals } from '../../../src/dispatch/submitter.ts';
import { page, refusal } from '../../support/client/failures.ts';

/** Whether each of these, one after the other, means that all others would be refused. */
function judged(errors: readonly Error[]): boolean[] {
  const refusals = new Refusals();
  return errors.map((error) => refusals.areForAll(error));
}

test('A single refusal for lack of credits counts as a refusal of all submissions', () => {
  for (const error of [
    refusal(402, ''),
    page(402),
    refusal(403, 'insufficient_credits'),
    refusal(403, 'no_credit'),
  ])
    expect([judged([error]), isOutOfCredits(error)]).toEqual([[true], true]);
});

test.each([
  [refusal(403, 'new_rule')],
  [refusal(403, 'insufficient_grants')],
  [refusal(400, 'new_rule')],
  [page(404)],
])('Five refusals in a row for another reason end the batch: %s', (error) => {
  expect(judged(Array(5).fill(error))).toEqual([false, false, false, false, true]);
});

test('Refusals of pictures never end the batch', () => {
  expect(judged(Array(9).fill(refusal(400, 'invalid_image')))).not.toContain(true);
});

test('An acceptance, or a refusal with another code, starts the count of refusals again', () => {
  const refusals = new Refusals();
  const one = () => refusals.areForAll(refusal(403, 'one'));
  const row = [one(), one(), one(), one()];
  refusals.accepted();
  expect([...row, one(), refusals.areForAll(refusal(403, 'two')), one(), one(), one(), one()]).not.toContain(
    true,
  );
  expect(one()).toBe(true);
});
