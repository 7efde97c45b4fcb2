import type { Command } from 'commander';
import { finishedSkin } from '../../../batch/model/result.ts';
import { connectWithProgress } from '../../connection/connect-with-progress.ts';
import { verifyUuids } from '../../connection/skin-uuids.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { addPictureOption, type TypedPictureOption } from '../../options/picture-option.ts';
import { addFormatOption, type TypedOutputOptions } from '../../options/skin-options.ts';
import { ResultPrinter } from '../../output/result-printer.ts';
import { RESULT_COLUMNS } from '../../output/view-output.ts';
import { resultView } from '../../output/views.ts';
import { resultPictures, textureOf } from '../../preview/result-pictures.ts';
import { jsonDocument } from '../../text/json.ts';
import { SKIN_GET_FIELDS, skinView } from './skin-rows.ts';

export interface SkinsGetOptions extends TypedOutputOptions, TypedPictureOption {
  readonly uuids: readonly string[];
}

export const skinsGet = {
  examples: [
    ['Print a skin', 'skinsmith skins get UUID'],
    ['Print a command that gives you a head with a skin', 'skinsmith skins get UUID --format give'],
  ],
  output: [
    {
      columns: RESULT_COLUMNS,
      columnMeanings: {
        source: 'name of the skin, or its UUID',
        status: 'always completed',
        job: 'always empty',
      },
      json: { shape: 'object or list', fields: SKIN_GET_FIELDS },
    },
  ],
  register(command: Command, runner: Runner, run = runSkinsGet): void {
    addPictureOption(
      addFormatOption(
        command
          .description('Print skins with their values and signatures.')
          .argument('<uuid...>', 'UUIDs of skins'),
      ),
    ).action(
      async (uuids: string[], typed: Omit<SkinsGetOptions, 'uuids'>) =>
        await runner(async (context) => await run({ ...typed, uuids }, context)),
    );
  },
} satisfies CommandModule;

export async function runSkinsGet(options: SkinsGetOptions, context: CommandContext): Promise<number> {
  verifyUuids(options.uuids, context);
  const settings = await context.settings({ format: options.format });
  const formats = settings.format;
  const connection = await connectWithProgress(settings, context);
  const { client } = connection;
  const skins = [];
  for (const uuid of options.uuids) skins.push(await client.skin(uuid, { signal: context.signal }));
  if (context.flags.json && (formats === undefined || formats.join() === 'json')) {
    const views = skins.map(skinView);
    const document = options.uuids.length > 1 ? views : views[0];
    context.io.out.write(jsonDocument(document));
    return exitStatus('done');
  }
  const isList = options.uuids.length > 1;
  const printer = new ResultPrinter(context.io, {
    json: context.flags.json ?? false,
    ndjson: false,
    formats,
    isList,
    pictures: isList
      ? undefined
      : resultPictures(options, async (skin) => await textureOf(skin, connection, context.signal), context),
  });
  for (const skin of skins)
    await printer.add(resultView({ source: skin.name ?? skin.uuid, skin: finishedSkin(skin) }));
  printer.end();
  return exitStatus('done');
}
