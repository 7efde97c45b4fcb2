import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { expectationsSchema } from '../../src/double/expectations.ts';
import { ALL_FAULT_KINDS } from '../../src/double/faults.ts';
import { effectOfName, NAMED_INPUTS, type NamedInput } from '../../src/double/plans.ts';
import { parseScenario, SCENARIOS, scenarioJsonSchema } from '../../src/double/scenario.ts';
import { ERRORS } from '../../src/protocol/errors.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { testWhole } from '../support/setup/extent.ts';

const ROOT = join(import.meta.dirname, '../..');
const TEXT = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');

test.each(Object.values<NamedInput>(NAMED_INPUTS))(
  'docs/testing.md says what the name $form does',
  ({ form, meaning }) => {
    expect(TEXT).toContain(`| \`${form}\` | ${meaning} |`);
  },
);

test('docs/testing.md names every scenario, fault and expectation', () => {
  const names = [...Object.keys(SCENARIOS), ...ALL_FAULT_KINDS, ...Object.keys(expectationsSchema.shape)];
  expect(names.filter((name) => !TEXT.includes(`\`${name}\``))).toEqual([]);
});

test('A name can make a job fail, or a submission be refused, with every error code', () => {
  for (const code of Object.keys(ERRORS)) {
    expect(effectOfName(`fail-${code}`, 1)?.job?.fate).toMatchObject({ kind: 'fails', code });
    expect(effectOfName(`refuse-${code}-2.png`, 1)?.job?.fate).toMatchObject({
      kind: 'refused',
      code,
      times: 2,
    });
  }
});

test.each(['fail', 'fail-nonsense', 'slow-', 'slow-fast', 'never-2', 'drop-x', 'dropped', 'knight'])(
  'The name %s has no special effect',
  (name) => {
    expect(effectOfName(name, 1)).toBeUndefined();
  },
);

test('The script in docs/testing.md is a valid scenario, also by the published schema', () => {
  const [, script = ''] = /```yaml\n([\s\S]*?)```/.exec(TEXT) ?? [];
  const schema = JSON.parse(readFileSync(join(ROOT, 'docs/scenario.schema.json'), 'utf8')) as object;
  expect(schema).toEqual(scenarioJsonSchema());
  const validate = new Ajv2020({ strict: false }).compile(schema);
  expect([validate(parse(script)), validate.errors]).toEqual([true, null]);
  expect(validate({ rules: [{ do: { fault: 'nonsense' } }] })).toBe(false);
  expect(parseScenario(parse(script)).rules).toHaveLength(3);
});

// Otherwise testing.test.ts uses the library so.
testWhole('The test in docs/testing.md runs with the built library', async () => {
  const folder = await ownFolder();
  await copyFile(join(ROOT, 'examples/smith.png'), join(folder, 'smith.png'));
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(TEXT) ?? [];
  const program = example
    .replace("'skinsmith/testing'", JSON.stringify(join(ROOT, 'dist/testing.js')))
    .replace("'skinsmith'", JSON.stringify(join(ROOT, 'dist/index.js')));
  await writeFile(join(folder, 'program.mjs'), program);
  const said = execFileSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(said).toBe('684\n');
});
