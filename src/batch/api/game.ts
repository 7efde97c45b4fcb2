/** What a batch asks the game: players' names, and the keys that sign skins. */

export { GameKeys } from '../proof/game-keys.ts';
export { PlayerNames } from '../sources/player-names.ts';
