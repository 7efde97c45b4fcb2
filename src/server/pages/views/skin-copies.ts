import { isIP } from 'node:net';
import {
  citizensCommand,
  giveCommand,
  giveCommand116,
  giveCommand1205,
  skinsRestorerCommand,
  UnsafeSkinDataError,
} from '../../../textures/commands.ts';
import { judgeAddress } from '../../outbound/addresses.ts';
import { copyField } from '../frame/copy.ts';
import { type Html, html } from '../html/html.ts';

export interface CopiedSkin {
  readonly uuid: string;
  readonly name: string | null;
  readonly variant: string;
  readonly value: string;
  readonly signature: string;
  readonly url: string;
}

/** All that one takes of a skin: data, and the commands that use it. */
export function copyFields({ uuid, value, signature, url, name, variant }: CopiedSkin): Html {
  const property = JSON.stringify({ name: 'textures', value, signature });
  return html`<dl class="copyable">
${copyField('Value', value)}${copyField('Signature', signature)}${copyField('Property, as servers take it', property)}
${copyField('Texture address', url)}
${copyField('UUID', uuid)}
</dl>
${commandFields({ value, signature, url, variant, ...(name !== null && { name }) })}`;
}

interface CommandInput {
  readonly name?: string;
  readonly value: string;
  readonly signature: string;
  readonly url: string;
  readonly variant: string;
}

/** Data of which no command can be made safely gets none. */
function commandFields({ url, variant, ...skin }: CommandInput): Html {
  try {
    return html`<h2>Commands</h2><dl class="copyable">
${copyField('Head, Minecraft 1.21.5 and later', giveCommand(skin))}
${copyField('Citizens, for the selected NPC', citizensCommand(skin))}
${isReachable(url) && copyField('SkinsRestorer, typed in the game', skinsRestorerCommand(url, variant))}
</dl>
${!isReachable(url) && html`<p class="quiet">There is no command for SkinsRestorer: its service could not fetch the picture from the address of this server. The command <code>skinsmith generate --format skinsrestorer</code> writes a file for its folder of skins instead.</p>`}
<details><summary>Heads in older versions of Minecraft</summary><dl class="copyable">
${copyField('1.20.5 to 1.21.4', giveCommand1205(skin))}
${copyField('1.16 to 1.20.4', giveCommand116(skin))}
</dl></details>`;
  } catch (error) {
    if (error instanceof UnsafeSkinDataError) return html`<p class="quiet">${error.message}</p>`;
    throw error;
  }
}

/** Whether others on the internet may reach an address, as far as it shows: not a machine's or a network's own. */
function isReachable(address: string): boolean {
  const { hostname } = new URL(address);
  const bare = hostname.replaceAll(/[[\]]/g, '');
  if (isIP(bare) !== 0) return judgeAddress(bare, []).allowed;
  return hostname.includes('.') && !/\.(?:local|localhost|internal|lan|home|test)$/.test(hostname);
}
