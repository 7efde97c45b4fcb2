/** The output of `skinsmith` without arguments: one screen that leads to a first skin. */
export const WELCOME = `skinsmith makes signed Minecraft skin data: a texture value and its signature.

Make your first skin, from a PNG file or from a player:

  skinsmith generate skin.png
  skinsmith generate --player Notch

This needs no key and no account: skinsmith runs a service of its own inside the
command. Players with an unmodified game, however, see only skins signed by the
game. For those, store an API key for a hosted service:

  skinsmith login --base-url https://api.mineskin.org

What to do next:

  skinsmith check skins/                     find unusable pictures, offline
  skinsmith generate skins/ --out signed/    make a whole folder of skins
  skinsmith verify signed/skins.lock         check signatures and pixels
  skinsmith doctor                           find problems with your setup

  skinsmith --help             list all commands and global options
  skinsmith help <command>     show examples and options of a command
`;
