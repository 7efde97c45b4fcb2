import type { Command } from 'commander';
import { shownCommands } from '../help/help-page.ts';
import { type CommandOutput, type FieldTable, type JsonOutput, outputOf } from '../output/described.ts';
import { type Block, type Row, rows, text } from './document.ts';

/** Commands that print the same thing. */
interface Printed {
  /** The one that comes first in the tree. */
  readonly output: CommandOutput;
  readonly commands: readonly { readonly name: string; readonly shape: JsonOutput['shape'] | undefined }[];
}

/** The columns and JSON fields of every command, as declared by the commands. */
export function commandFormats(program: Command): Block[] {
  return printedBy(program).flatMap((printed) => [
    { kind: 'heading', text: printed.commands.map(({ name }) => name).join(', ') } as const,
    ...describe(printed),
  ]);
}

function printedBy(program: Command): Printed[] {
  const all = commandsBelow(program).flatMap(({ path, command }) =>
    outputOf(command).map((output) => ({ name: [path, output.mode].filter(Boolean).join(' '), output })),
  );
  const groups = Map.groupBy(all, ({ output: { json, columns } }) => contentOf(json) ?? columns);
  return [...groups.values()].map((group) => ({
    output: group[0]!.output,
    commands: group.map(({ name, output: { json } }) => ({ name, shape: json?.shape })),
  }));
}

/** Outputs that share their fields are the same. */
function contentOf(json: JsonOutput | undefined): unknown {
  if (json === undefined) return undefined;
  return 'fields' in json ? json.fields : json;
}

function commandsBelow(parent: Command, path = ''): { path: string; command: Command }[] {
  return shownCommands(parent).flatMap((command) => {
    const own = `${path} ${command.name()}`.trimStart();
    return [{ path: own, command }, ...commandsBelow(command, own)];
  });
}

function describe({ output, commands }: Printed): Block[] {
  const { columns, columnMeanings = {}, json } = output;
  const extra = Object.entries(columnMeanings);
  return [
    ...(columns ? [text(`Columns: ${Object.keys(columns).join(', ')}.`)] : []),
    ...(extra.length > 0 ? [rows(['column', 'meaning'], extra)] : []),
    ...(json ? [text(`JSON: ${shapes(commands)}.`)] : []),
    ...(json?.shape === 'value' ? [text(`The value: ${json.about}.`)] : []),
    ...(json && 'fields' in json ? [rows(['JSON field', 'meaning'], fieldRows(json.fields))] : []),
  ];
}

const SHAPES: Readonly<Record<JsonOutput['shape'], string>> = {
  object: 'an object',
  list: 'a list of objects',
  'object or list': 'an object, or a list of objects if several things were asked for',
  lines: 'an object per line',
  value: 'a bare value',
};

/** `an object; from users list, a list of objects`. */
function shapes(commands: Printed['commands']): string {
  const groups = [...Map.groupBy(commands, ({ shape }) => shape)].flatMap(([shape, group]) =>
    shape === undefined ? [] : [{ said: SHAPES[shape], names: group.map(({ name }) => name).join(', ') }],
  );
  return groups.map(({ said, names }, index) => (index === 0 ? said : `from ${names}, ${said}`)).join('; ');
}

/** Nested fields have dotted names: `texture.url`. */
function fieldRows(fields: FieldTable, path = ''): Row[] {
  return Object.entries(fields).flatMap(([name, field]): Row[] => {
    const own = `${path}${name}`;
    if (typeof field === 'string') return [[own, field]];
    return [[own, field.about], ...fieldRows(field.fields ?? {}, `${own}.`)];
  });
}
