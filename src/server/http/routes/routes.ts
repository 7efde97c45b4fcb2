import type { Route } from '../route.ts';
import { ROUTE_GROUPS } from './groups.ts';

/** Every endpoint of the service. */
export const ROUTES: readonly Route[] = ROUTE_GROUPS.flatMap(({ routes }) => routes());
