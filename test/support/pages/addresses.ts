import { PAGE_ROUTES } from '../../../src/server/http/routes/pages/page-routes.ts';

/** Values for the placeholders of addresses. */
export type Samples = Readonly<Record<string, string>>;

/** What is read by scripts or shown inside of pages. */
const NO_PAGES = new Set([
  '/ui/assets/:name',
  '/ui/jobs/:jobId/state',
  '/ui/jobs/events',
  '/ui/skins/:uuid/pictures/:view',
  '/ui/skins/export.zip',
  '/ui/skins/export.lock',
]);
/** Steps of signing in, here or at the game, which need one that was begun; journeys take them. */
const STEPS = ['/ui/sign-in/', '/ui/account/games/logins/'];

/** The addresses of all pages. @throws Error if there is no sample for a placeholder */
export function pageAddresses(samples: Samples): string[] {
  const paths = PAGE_ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path);
  return paths
    .filter((path) => !NO_PAGES.has(path) && !STEPS.some((step) => path.startsWith(step)))
    .map((path) => addressOf(path, samples));
}

/** An address with its placeholders filled in. */
export function addressOf(path: string, samples: Samples): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = samples[name];
    if (value === undefined) throw new Error(`There is no sample of :${name} in ${path}.`);
    return value;
  });
}
