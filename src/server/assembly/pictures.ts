import { PlayerLooks, type PlayerLooksOptions } from '../pictures/player-looks.ts';
import { RenderBudget } from '../pictures/render-budget.ts';
import { Renders } from '../pictures/renders.ts';
import type { ServiceContext } from '../service/context.ts';
import type { Releases } from './releases.ts';

/** What draws pictures. Starts nothing, and asks nobody, before the first one is wanted. */
export function openPictures(
  options: PlayerLooksOptions,
  releases: Releases,
): Pick<ServiceContext, 'renders' | 'playerLooks'> {
  const renders = new Renders(new RenderBudget(options.clock));
  releases.add(() => renders.close());
  return { renders, playerLooks: new PlayerLooks(options) };
}
