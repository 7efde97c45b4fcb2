import { isLoopback } from '../text/loopback.ts';
import type { ServeOptions } from './options.ts';

/**
 * A warning for a service that other machines are to reach, but that signs an address of this machine into its skins:
 * such skins stay useless to players. Undefined if all is well. `url`: where it listens.
 */
export function unreachableTextures(
  url: string,
  { host, publicUrl, generator }: Pick<ServeOptions, 'host' | 'publicUrl' | 'generator'>,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const isOwnKey = (generator ?? (env['SKINSMITH_GENERATOR'] || 'signing')) === 'signing';
  const isForOthers = host !== undefined && !isLoopback(host);
  if (!isOwnKey || !isForOthers || publicUrl !== undefined || !isLoopback(new URL(url).hostname))
    return undefined;
  return (
    `Texture URLs of new skins start with ${url}, for good, and other machines cannot reach that address. ` +
    'Restart the service with the address that players use: --public-url https://skins.example.org'
  );
}
