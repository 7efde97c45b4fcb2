import { startPage } from '../../../pages/views/start.ts';
import { readPublicSkins } from '../../../service/skins/skins.ts';
import { pageRoute } from '../../pages/page-route.ts';

/** Skins on the start page: whole rows at every width, and it weighs less than 60 KB with all their pictures. */
const NEWEST = 6;

export const startRoute = pageRoute({
  method: 'GET',
  path: '/ui',
  isFor: 'everyone',
  handle: async ({ context, caller, mayUse }) => {
    const { skins } = mayUse ? await readPublicSkins(context, caller, { size: NEWEST }) : { skins: [] };
    const { generatorKind, publicUrl } = context;
    return startPage({ signing: generatorKind, newest: skins, origin: publicUrl(), mayMake: mayUse });
  },
});
