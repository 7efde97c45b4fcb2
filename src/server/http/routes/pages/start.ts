import { startPage } from '../../../pages/views/start.ts';
import { readPublicSkins } from '../../../service/skins/skins.ts';
import { pageRoute } from '../../pages/page-route.ts';
import { forMaker, makerOf } from '../../pages/visitor.ts';

/** Skins on the start page: whole rows at every width, and it weighs less than 60 KB with all their pictures. */
const NEWEST = 6;

export const startRoute = pageRoute({
  method: 'GET',
  path: '/ui',
  isFor: 'everyone',
  handle: async (call) => {
    const { context, caller, mayUse } = call;
    const { skins } = mayUse ? await readPublicSkins(context, caller, { size: NEWEST }) : { skins: [] };
    const { generatorKind, publicUrl } = context;
    const view = { signing: generatorKind, newest: skins, origin: publicUrl() };
    if (!mayUse) return startPage({ ...view, maker: undefined });
    return forMaker(startPage({ ...view, maker: makerOf(call) }), call);
  },
});
