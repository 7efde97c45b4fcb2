/** Finished skins: who signed them, and whether they are what they should be. */

export { type FinishedSkin, finishedSkin } from '../model/finished-skin.ts';
export { EMBEDDED, type SignedBy, signerText } from '../model/signer.ts';
export { damageOf, isSignatureShaped, signedBy } from '../proof/entry-judge.ts';
export {
  fingerprintIn,
  isSignedAsRequired,
  type RequiredSigner,
  requiredText,
} from '../proof/required-signer.ts';
export { isBad, type KeptSkin, type SignerKey, type Verdict, verifySkin } from '../proof/verify-skin.ts';
