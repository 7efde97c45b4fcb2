import { resolve, sep } from 'node:path';
import { walkFolder } from './folders.ts';
import { IgnoreRules } from './ignore-rules.ts';

/** Whether a path may be a pattern, as shells know them: Windows' shells, and lists, leave it to the program. */
export function isPattern(text: string): boolean {
  return /[*?[]/.test(text);
}

/**
 * The files that a pattern stands for, in the first of these folders that has any: paths as the pattern would be typed. Hidden
 * files and what the rules ignore are left out.
 */
export async function filesOf(
  pattern: string,
  homes: readonly string[],
  rules: IgnoreRules,
): Promise<readonly string[]> {
  const steps = pattern.replaceAll(sep, '/').split('/');
  const fixed = steps.slice(0, steps.findIndex(isPattern));
  const wanted = IgnoreRules.given([`/${steps.slice(fixed.length).join('/')}`]);
  const label = fixed.join('/') || (pattern.startsWith('/') ? '/' : '.');
  const recursive = steps.length - fixed.length > 1;
  for (const home of homes) {
    const found: string[] = [];
    const root = { label, path: resolve(home, label) };
    for await (const { place, files } of walkFolder(root, { recursive, rules, names: /./ })) {
      const below = files.map((name) => (place === '' ? name : `${place}/${name}`));
      found.push(...below.filter((path) => wanted.ignores(path)));
    }
    if (found.length > 0) return found.map((path) => [...fixed, path].join('/'));
  }
  return [];
}
