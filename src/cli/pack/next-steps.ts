import { clean } from '../text/text.ts';

interface WrittenPack {
  /** As the user named it. */
  readonly out: string;
  readonly isZip: boolean;
  readonly datapack: string | undefined;
  readonly namespace: string;
  /** The id of one of its skins, for examples. */
  readonly id: string;
  /** What it was made from, as the user named it: words of a command. */
  readonly sources: string;
}

/** What to do with a pack that was just written, a line for each step. */
export function nextSteps({ out, isZip, datapack, namespace, id, sources }: WrittenPack): readonly string[] {
  const pack = clean(out);
  const first = isZip
    ? `1. Offer it to players: skinsmith serve --pack ${pack} prints both lines for server.properties.`
    : `1. Put ${pack} into the folder resourcepacks of Minecraft, and choose it there under Resource Packs.`;
  if (datapack === undefined)
    return [
      first,
      `2. Print commands for the skins: skinsmith generate ${clean(sources)} --format mannequin --pack ${pack}`,
      '3. Type them into chat, with a slash in front; you must be op.',
    ];
  return [
    first,
    `2. Put ${clean(datapack)} into the folder datapacks of the world, and type /reload.`,
    `3. Type one of these in Minecraft (you must be op); ${id} is one of the skins:`,
    ...['lineup', 'remove', `summon/${id}`, `give/${id}`].map((name) => `   /function ${namespace}:${name}`),
  ];
}
