import type { Game } from '../../game/game.ts';
import type { GuardedAgent } from '../outbound/guarded-agent.ts';
import type { WebPages } from '../service/callers/web-pages.ts';
import type { SpendingContext } from '../service/limits/spending.ts';
import type { Fetches } from './fetches.ts';
import type { SpotReservations } from './reserve-spot.ts';

/** What the sources of pictures are read with. */
export interface SourceContext extends SpendingContext {
  /** The game's services: one client for all, so that its pacing sees all requests. */
  readonly game: Game;
  /** Guarded HTTP client for pictures at callers' URLs. */
  readonly pictures: GuardedAgent;
  /** Limits on requests to other servers on behalf of callers. */
  readonly fetches: Fetches;
  /** Slots in the queue reserved for requests whose pictures are being fetched. */
  readonly spotReservations: SpotReservations;
  /** Which web pages may act without a key. */
  readonly webPages: WebPages;
  /** All known base URLs of this service, without trailing slashes. */
  readonly ownAddresses: () => readonly string[];
}
