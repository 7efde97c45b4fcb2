import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EXAMPLES } from '../../examples/draw.ts';
import { checkSkin } from '../../src/skin/check.ts';
import { decodePng } from '../../src/skin/png/decode.ts';
import { pixelHash } from '../../src/skin/read-skin.ts';

const folder = new URL('../../examples/', import.meta.url);
const allowed: Record<string, string[]> = { 'miner-legacy.png': ['legacy_format'] };

describe('The examples folder', () => {
  test('holds the drawn skins and no other.', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.png'));
    expect(files.toSorted()).toEqual(Object.keys(EXAMPLES).toSorted());
  });

  test('lists every skin in its README.', () => {
    const readme = readFileSync(new URL('README.md', folder), 'utf8');
    expect(Object.keys(EXAMPLES).filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });
});

describe.each(Object.entries(EXAMPLES))('%s', (name, draw) => {
  const bytes = readFileSync(new URL(name, folder));

  // Pixels, not bytes: another build of Node may compress them differently.
  test('is what draw.ts draws.', () => {
    expect(pixelHash(decodePng(bytes))).toBe(pixelHash(draw()));
  });

  test('is a small valid skin of its variant, with nothing to warn about.', () => {
    const report = checkSkin(bytes);
    expect(bytes.length).toBeLessThanOrEqual(4096);
    expect(report).toMatchObject({ valid: true, confidence: 'certain' });
    expect(report.variant).toBe(name.includes('slim') ? 'slim' : 'classic');
    expect(report.legacy).toBe(name.includes('legacy'));
    expect(report.warnings.map(({ code }) => code)).toEqual(allowed[name] ?? []);
  });
});
