import { z } from 'zod';
import { bareUuid, isUuid } from '../base/uuid.ts';

export const playerIdSchema = z
  .string()
  .regex(/^[0-9a-f]{32}$/i)
  .toLowerCase();

/** A player's UUID, with or without dashes, as the game's services write it: 32 lower-case digits. Undefined if invalid. */
export function parsePlayerId(text: string): string | undefined {
  return isUuid(text) ? bareUuid(text) : undefined;
}

/**
 * Whether a server in offline mode derived this UUID from a name: version 3, whereas the game's own are random
 * (version 4). `id`: 32 digits.
 */
export function isOfflineId(id: string): boolean {
  return id[12] === '3';
}
