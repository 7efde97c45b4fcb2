import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeUnneeded } from '../../bundle/types.ts';
import { ownFolder } from '../support/server/own-folder.ts';

test('Only declarations that the entry reaches stay, whatever way they are imported', async () => {
  const folder = await ownFolder();
  mkdirSync(join(folder, 'deep'));
  const files = {
    'index.d.ts': "export { a } from './a.ts';\nexport type B = import('./deep/b.ts').B;\n",
    'a.d.ts': "import './c.ts';\n",
    'c.d.ts': 'export {};\n',
    'deep/b.d.ts': "import type { A } from '../a.ts';\n",
    'deep/unneeded.d.ts': "import type { A } from '../a.ts';\n",
    'unneeded.d.ts': '',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  removeUnneeded(folder, 'index.d.ts');
  const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  expect(left.sort()).toEqual(['a.d.ts', 'c.d.ts', 'deep/b.d.ts', 'index.d.ts']);
});
