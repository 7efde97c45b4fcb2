import { expect, test } from 'vitest';
import { jsonDocument, jsonLine } from '../../../../src/cli/text/text.ts';

const acting = '\u009b31m \u202e \u2028 \u061c \u001b[0m';

test.each([jsonLine, jsonDocument])(
  '%s writes what would act on a terminal as escapes that read back',
  (write) => {
    const text = write({ name: acting });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
    expect(text.trimEnd()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u2028-\u202e]/);
    expect(JSON.parse(text)).toEqual({ name: acting });
  },
);
