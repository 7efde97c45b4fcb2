import { expect, test } from 'vitest';
import { SCRIPT } from '../../../../../src/cli/output/reports/report.ts';

interface Clipboard {
  readonly writeText: (text: string) => Promise<void>;
}

/** A page with one card, as far as the script looks at it; `old`: what the way before the clipboard answers. */
function page(clipboard: Clipboard | undefined, old = false) {
  const classes: string[] = [];
  const areas: { value: string; isThere: boolean }[] = [];
  let click: (event: { target: unknown }) => Promise<void> = async () => {};
  const later: (() => void)[] = [];
  const document = {
    documentElement: { classList: { add: (name: string) => classes.push(name) } },
    addEventListener: (_: string, listener: typeof click) => (click = listener),
    createElement: () => {
      const area = { value: '', isThere: true, select: () => {}, remove: () => (area.isThere = false) };
      areas.push(area);
      return area;
    },
    body: { append: () => {} },
    execCommand: () => old,
  };
  const pre: Record<string, string> = { '.value': 'dmFsdWU=', '.command': 'give @p' };
  const button = (name: string) => {
    const own = {
      name,
      textContent: `copy ${name}`,
      dataset: {},
      closest: (what: string) =>
        what === '.card' ? { querySelector: (which: string) => ({ textContent: pre[which] }) } : own,
    };
    return own;
  };
  const run = new Function('document', 'navigator', 'setTimeout', SCRIPT);
  run(document, { clipboard }, (work: () => void) => later.push(work));
  return { classes, areas, button, press: async (target: unknown) => await click({ target }), later };
}

test('A button copies its text, says so, and then returns to its label', async () => {
  const copied: string[] = [];
  const { classes, button, press, later } = page({ writeText: async (text) => void copied.push(text) });
  expect(classes).toEqual(['scripted']);
  const command = button('command');
  await press(command);
  await press(button('value'));
  expect([copied, command.textContent]).toEqual([['give @p', 'dmFsdWU='], 'copied']);
  await press(command); // once more before the first has passed
  for (const work of later) work();
  expect(command.textContent).toBe('copy command');
});

test.each([
  [true, 'copied'],
  [false, 'not copied'],
])('Without a clipboard, the text is selected and copied in the older way: %s', async (old, said) => {
  const { areas, button, press } = page(undefined, old);
  const value = button('value');
  await press(value);
  expect(areas).toMatchObject([{ value: 'dmFsdWU=', isThere: false }]);
  expect(value.textContent).toBe(said);
});

test('A click outside the buttons does nothing', async () => {
  const { areas, press } = page(undefined);
  await press({ closest: () => null });
  expect(areas).toEqual([]);
});
