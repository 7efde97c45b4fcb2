import {
  type BatchResult,
  type OutdatedSkins,
  type PublicSigningKey,
  type SignedBy,
  signerText,
} from '../../batch/model.ts';
import { DeliveryError } from '../../batch/options.ts';
import type { GameKeys } from '../../batch/proof/known-keys.ts';
import { isSignedAsRequired, type RequiredSigner, requiredText } from '../../batch/proof/verify-skin.ts';
import { count } from '../text/text.ts';
import type { BatchCall } from './call.ts';

/** Rejects results that another signer signed. @throws DeliveryError */
export async function verifyRequiredSigner(
  result: BatchResult,
  required: RequiredSigner | undefined,
  gameKeys: GameKeys,
): Promise<void> {
  if (!required) return; // before the skin is touched: that reads a known one from the lockfile
  const { source, skin } = result;
  if (!skin || (await isSignedAsRequired(skin, required, gameKeys))) return;
  throw new DeliveryError('wrong_signer', `${source} is not signed by ${requiredText(required)}.`);
}

/**
 * `12 signed by this machine, not by https://…: will be made again`. Printed in pipes too, because these skins will cost
 * generations.
 */
export async function printSigners(
  {
    outdated,
    unknownSigner,
  }: { readonly outdated: readonly OutdatedSkins[]; readonly unknownSigner: number },
  { context, settings }: Pick<BatchCall, 'context' | 'settings'>,
): Promise<void> {
  if (outdated.length === 0 && unknownSigner === 0) return;
  const { name } = await context.service(settings);
  const own = await context.ownKey();
  for (const { signedBy, sources } of outdated) {
    context.messages.say(
      `${count(sources)} signed by ${signerText(signedBy, own)}, not by ${name}: will be made again`,
    );
  }
  if (outdated.length > 0) await context.messages.note('--keep-signatures keeps them.');
  if (unknownSigner > 0) context.messages.say(unknownText(unknownSigner));
}

function unknownText(unknown: number): string {
  const skins = unknown === 1 ? '1 skin in the lockfile has' : `${count(unknown)} skins in the lockfile have`;
  return `${skins} an unknown signer; kept.`;
}

/** Counts skins by signer. */
export class SignerTally {
  readonly #counts = new Map<string, number>();
  readonly #own: PublicSigningKey | undefined;

  constructor(own: PublicSigningKey | undefined) {
    this.#own = own;
  }

  add(signedBy: SignedBy): void {
    const text = signerText(signedBy, this.#own);
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  /** `Signed by the game: 10, by this machine: 2.`; empty when there are no skins. */
  get text(): string {
    const parts = [...this.#counts].map(([who, skins]) => `by ${who}: ${count(skins)}`);
    return parts.length === 0 ? '' : `Signed ${parts.join(', ')}.`;
  }
}
