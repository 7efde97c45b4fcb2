import manifest from '../../package.json' with { type: 'json' };

/** Version of this program, as package.json has it. */
export const VERSION: string = manifest.version;

/** The server's name in answers and skin data, so that the machine's own name stays private. */
export const SERVER_NAME = 'skinsmith';

/** The runtime if it is not Node, such as `Bun 1.4.5`: the library's client runs there, but no service and no command. */
export function otherRuntime({ bun, deno }: NodeJS.ProcessVersions = process.versions): string | undefined {
  if (bun !== undefined) return `Bun ${bun}`;
  return deno === undefined ? undefined : `Deno ${deno}`;
}
