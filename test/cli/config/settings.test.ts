import { describe, expect, test } from 'vitest';
import {
  envNameOf,
  isSettingName,
  originOf,
  parseSetting,
  resolveSettings,
  SETTING_NAMES,
  type SettingName,
  type SettingSources,
} from '../../../src/cli/config/settings.ts';
import { CliError } from '../../../src/cli/errors/exit.ts';

function makeSources(overrides: Partial<SettingSources> = {}): SettingSources {
  return { flags: {}, env: {}, file: {}, ...overrides };
}

/** Two values of each setting that differ, as they are typed, and as they are read. */
const EXAMPLES = {
  'base-url': [
    ['https://a.example/v2/', 'https://a.example'],
    ['http://b.example/x', 'http://b.example/x'],
  ],
  visibility: [
    ['unlisted', 'unlisted'],
    ['private', 'private'],
  ],
  variant: [
    ['slim', 'slim'],
    ['auto', 'auto'],
  ],
  slots: [
    ['3', 3],
    ['100', 100],
  ],
  'poll-interval': [
    ['500ms', 0.5],
    ['60', 60],
  ],
  format: [
    ['property, give', ['property', 'give']],
    ['value', ['value']],
  ],
  color: [
    ['never', 'never'],
    ['always', 'always'],
  ],
  'user-agent': [
    ['my-bot/1.0', 'my-bot/1.0'],
    ['x', 'x'],
  ],
  'allow-network': [
    ['10.0.0.0/8, fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
    ['10.0.0.7', ['10.0.0.7']],
  ],
} as const satisfies Record<SettingName, unknown>;

const examples = SETTING_NAMES.map((name) => [name, ...EXAMPLES[name]] as const);

describe('resolveSettings', () => {
  test.each(examples)(
    'prefers a typed %s to the environment and the file',
    (name, [text, value], [other]) => {
      const sources = { flags: { [name]: text }, env: { [envNameOf(name)]: other }, file: { [name]: other } };
      expect(resolveSettings(makeSources(sources))[name]).toEqual(value);
    },
  );

  test.each(examples)('prefers %s from the environment to the file', (name, [text, value], [other]) => {
    const sources = { env: { [envNameOf(name)]: text }, file: { [name]: other } };
    expect(resolveSettings(makeSources(sources))[name]).toEqual(value);
  });

  test.each(examples)('uses %s from the file if nothing else sets it', (name, [text, value]) => {
    const sources = { flags: { [name]: undefined }, env: { [envNameOf(name)]: '' }, file: { [name]: text } };
    expect(resolveSettings(makeSources(sources))[name]).toEqual(value);
  });

  test('has no defaults of its own', () => {
    expect(resolveSettings(makeSources())).toEqual(
      Object.fromEntries(SETTING_NAMES.map((name) => [name, undefined])),
    );
  });

  test('ignores unknown settings', () => {
    const sources = makeSources({ env: { SKINSMITH_NONSENSE: 'x' }, file: { nonsense: 1, 'api-keys': {} } });
    expect(Object.keys(resolveSettings(sources)).sort()).toEqual([...SETTING_NAMES].sort());
  });

  test('does not check a value in the file that a flag overrides', () => {
    const sources = makeSources({ flags: { slots: '2' }, file: { slots: 'many' } });
    expect(resolveSettings(sources).slots).toBe(2);
  });
});

describe('a bad value', () => {
  const bad: [name: SettingName, value: unknown, allowed: string][] = [
    ['base-url', 'api.example.org', 'it is not a URL; use a form like https://api.example.org.'],
    ['base-url', 'ftp://a.example', 'it must start with http:// or https://.'],
    ['user-agent', '', 'it must not be empty.'],
    ['visibility', 'secret', 'it must be one of public, unlisted, private.'],
    ['visibility', 0, 'it must be one of public, unlisted, private.'],
    ['variant', 'Slim', 'it must be one of auto, classic, slim.'],
    ['slots', '0', 'it must be at least 1.'],
    ['slots', '101', 'it must be at most 100.'],
    ['slots', '1.5', 'it must be a whole number from 1 to 100.'],
    ['slots', 'many', 'it must be a whole number from 1 to 100.'],
    ['poll-interval', '0.1', 'it must be at least 0.2 seconds.'],
    ['poll-interval', '61', 'it must be at most 60 seconds.'],
    ['poll-interval', '500', 'it must be at most 60 seconds.'],
    ['poll-interval', '5 parsecs', 'it must be a time like 500ms or 5s, from 0.2s to 60s.'],
    ['format', 'xml', 'it must be one or more of json, value, signature, property'],
    ['format', 'json,xml', 'it must be one or more of json, value, signature, property'],
    ['format', 'json,', 'separated by commas'],
    ['format', 7, 'separated by commas'],
    ['color', 'yes', 'it must be one of auto, always, never.'],
    ['user-agent', 'a\r\nx-injected: 1', 'it must be plain ASCII text.'],
    ['user-agent', 'x'.repeat(201), 'it must have at most 200 characters.'],
  ];

  test.each(bad)(
    'of %s (%j) names the setting and the file, and says what is allowed and how to mend it',
    (name, value, allowed) => {
      const resolve = () => resolveSettings(makeSources({ file: { [name]: value } }));
      expect(resolve).toThrow(CliError);
      expect(resolve).toThrow(expect.objectContaining({ code: 'invalid_setting', exit: 'usage' }));
      expect(resolve).toThrow(`${name} "${String(value)}" (from the config file) is invalid: `);
      expect(resolve).toThrow(allowed);
      expect(resolve).toThrow(
        expect.objectContaining({ hint: expect.stringContaining(`skinsmith config set ${name}`) }),
      );
    },
  );

  test.each([
    ['https://me:hunter2@a.example', 'a user name or password'],
    ['https://me:hun/ter2@a.example', 'a user name or password'],
    ['https://me:1/hunter2@a.example', 'a user name or password'],
    ['https://me:hun@ter2@a.example', 'a user name or password'],
    ['me:hunter2@a.example', 'a user name or password'],
    ['https:me:hunter2@a.example', 'a user name or password'],
    ['https://a.example/?key=hunter2', 'a query or a fragment'],
  ])('that is an address with a secret is not shown, not even in part: %s', (address, what) => {
    const resolve = () => resolveSettings(makeSources({ file: { 'base-url': address } }));
    expect(resolve).toThrow(/^base-url \(from the config file\) is invalid: it must not contain /);
    expect(resolve).toThrow(what);
  });

  test('names the flag or the variable that it came from', () => {
    const flag = () => resolveSettings(makeSources({ flags: { slots: '0' } }));
    const variable = () => resolveSettings(makeSources({ env: { SKINSMITH_POLL_INTERVAL: '0' } }));
    expect(flag).toThrow(/^slots "0" \(from --slots\) is invalid: it must be at least 1\.$/);
    expect(variable).toThrow(/^poll-interval "0" \(from SKINSMITH_POLL_INTERVAL\) is invalid: /);
    expect(flag).toThrow(expect.objectContaining({ hint: undefined }));
  });
});

describe('the names of settings', () => {
  test('are the names of the examples', () => {
    expect(SETTING_NAMES).toEqual(Object.keys(EXAMPLES));
  });

  test.each([
    ['base-url', 'SKINSMITH_BASE_URL'],
    ['user-agent', 'SKINSMITH_USER_AGENT'],
    ['slots', 'SKINSMITH_SLOTS'],
  ])('turn %s into %s', (name, variable) => {
    expect(envNameOf(name)).toBe(variable);
  });

  test.each(['api-key', 'Slots', '', 'toString'])('do not include %j', (name) => {
    expect(isSettingName(name)).toBe(false);
  });
});

describe('originOf', () => {
  test('says where a value comes from, without checking it', () => {
    const sources = makeSources({ env: { SKINSMITH_COLOR: 'pink' }, file: { slots: 2 } });
    expect(originOf('color', sources)).toEqual({ value: 'pink', from: 'SKINSMITH_COLOR' });
    expect(originOf('slots', sources)).toEqual({ value: 2, from: 'the config file' });
    expect(originOf('format', sources)).toBeUndefined();
  });
});

describe('parseSetting', () => {
  test('reads a number from a file as well as from a text', () => {
    expect(parseSetting('slots', { value: 4, from: 'the config file' })).toBe(4);
    expect(parseSetting('slots', { value: '4', from: '--slots' })).toBe(4);
  });

  test.each(examples)('reads %s as config set stores it', (name, [text, value]) => {
    const stored: unknown = JSON.parse(JSON.stringify(parseSetting(name, { value: text, from: 'typed' })));
    expect(parseSetting(name, { value: stored, from: 'the config file' })).toEqual(value);
  });
});
