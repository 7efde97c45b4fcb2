import { expect, test } from 'vitest';
import {
  provableVariant,
  type SourceContent,
  type VariantInput,
  type Work,
} from '../../../src/batch/model.ts';

const player: SourceContent = { kind: 'user', user: 'notch' };
const picture: SourceContent = { kind: 'file', path: '/skins/a.png' };

function workOf(content: SourceContent, variant: VariantInput): Work {
  return { variant, members: [{ source: { content } }] } as unknown as Work;
}

test("A player's skin has the player's own arms, whatever was requested", () => {
  expect(provableVariant(workOf(player, 'slim'))).toBe('auto');
  expect(provableVariant(workOf(player, 'classic'))).toBe('auto');
});

test('Any other skin must have the arms that were requested', () => {
  expect(provableVariant(workOf(picture, 'slim'))).toBe('slim');
  expect(provableVariant(workOf(picture, 'auto'))).toBe('auto');
});
