import { GameError } from '../../../src/game/errors.ts';

/** The error that a call to the game's services ends with. @throws Error when it ends well, or with another error */
export async function gameErrorOf(call: Promise<unknown>): Promise<GameError> {
  const outcome = await call.then(
    (value) => new Error(`No error, but ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof GameError) return outcome;
  throw outcome;
}
