import { RenderBudget } from '../pictures/budgets.ts';
import { GameTextures } from '../pictures/game-textures.ts';
import { PlayerLooks, type PlayerLooksOptions } from '../pictures/player-looks.ts';
import { Renders } from '../pictures/renders.ts';
import type { ServiceContext } from '../service/context.ts';
import type { Releases } from './releases.ts';

/** What draws pictures. Starts nothing, and asks nobody, before the first one is wanted. */
export function openPictures(
  options: Omit<PlayerLooksOptions, 'gameTextures'>,
  releases: Releases,
): Pick<ServiceContext, 'renders' | 'playerLooks' | 'gameTextures'> {
  const renders = new Renders(new RenderBudget(options.clock));
  releases.add(() => renders.close());
  const gameTextures = new GameTextures(options);
  return { renders, gameTextures, playerLooks: new PlayerLooks({ ...options, gameTextures }) };
}
