import { version1Page } from '../../../pages/views/version-1.ts';
import { pageRoute } from '../../pages/page-route.ts';

export const version1Route = pageRoute({
  method: 'GET',
  path: '/ui/version-1',
  isFor: 'everyone',
  handle: async ({ context }) => version1Page({ origin: context.publicUrl() }),
});
