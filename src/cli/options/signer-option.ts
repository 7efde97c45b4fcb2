import { InvalidArgumentError, Option } from 'commander';
import type { RequiredSigner } from '../../batch/proof/verify-skin.ts';
import { parseBaseUrl } from '../../index.ts';
import { refuseCredentials } from './option-values.ts';

/** Digits of a fingerprint shown to distinguish keys. */
const FINGERPRINT = /^[0-9a-f]{16,64}$/;

export function requireSignerOption(): Option {
  const who = 'game, the address of a service, or the fingerprint of a key';
  return new Option(
    '--require-signer <who>',
    `fail skins that were not signed by this signer: ${who}`,
  ).argParser(requiredSigner);
}

/** Parses `game`, an address, or (the first digits of) a key's fingerprint. @throws InvalidArgumentError */
function requiredSigner(text: string): RequiredSigner {
  if (text === 'game') return { kind: 'game' };
  const digits = text.replaceAll(':', '').toLowerCase();
  if (FINGERPRINT.test(digits)) return { kind: 'key', fingerprint: digits };
  refuseCredentials(text);
  try {
    return { kind: 'service', address: parseBaseUrl(text).baseUrl };
  } catch {
    throw new InvalidArgumentError('Give game, the address of a service, or the fingerprint of a key.');
  }
}
