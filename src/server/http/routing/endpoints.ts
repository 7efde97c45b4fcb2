import type { Endpoint } from '../endpoint/endpoint.ts';
import type { Route } from '../route.ts';
import { ROUTE_GROUPS, type RouteGroup } from '../routes/groups.ts';
import { decodeSegments, type Found, Router } from './router.ts';

/** A route and what answers its requests. */
export interface Mounted {
  readonly route: Route;
  readonly endpoint: Endpoint;
}

/** By method. */
type Routers = ReadonlyMap<string, Router<Mounted>>;

/** Finds what answers a request. Most callers use few routes, so each group is built for its first request. */
export class Endpoints {
  readonly #makeEndpoint: (route: Route) => Endpoint;
  readonly #groups = new Map<RouteGroup, Routers>();

  constructor(makeEndpoint: (route: Route) => Endpoint) {
    this.#makeEndpoint = makeEndpoint;
  }

  /** @param path without a query. @throws Refusal if it is not well-formed, or a value in it is too long */
  find(method: string, path: string): Found<Mounted> | undefined {
    for (const group of groupsOf(path)) {
      const found = this.#routersOf(group).get(method)?.find(path);
      if (found) return found;
    }
    return undefined;
  }

  #routersOf(group: RouteGroup): Routers {
    const known = this.#groups.get(group);
    if (known) return known;
    const routers = this.#mount(group.routes());
    this.#groups.set(group, routers);
    return routers;
  }

  /** Read-only routes also support HEAD. */
  #mount(routes: readonly Route[]): Routers {
    const routers = new Map<string, Router<Mounted>>();
    for (const route of routes) {
      const mounted = { route, endpoint: this.#makeEndpoint(route) };
      const methods = route.method === 'GET' && !route.changes ? ['GET', 'HEAD'] : [route.method];
      for (const method of methods) {
        const router = routers.get(method) ?? new Router<Mounted>();
        routers.set(method, router);
        for (const path of route.paths) router.add(path, mounted);
      }
    }
    return routers;
  }
}

/** The groups that may have a path's route, the likeliest first. @throws Refusal if the path is not well-formed */
export function groupsOf(path: string): RouteGroup[] {
  const decoded = decodeSegments(path).join('/');
  return ROUTE_GROUPS.filter(({ starts }) =>
    starts.some((start) => decoded === start || decoded.startsWith(`${start}/`)),
  );
}
