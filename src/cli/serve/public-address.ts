import { isLoopback } from '../text/loopback.ts';
import type { ServeOptions } from './options.ts';

type Addressed = Pick<ServeOptions, 'host' | 'publicUrl' | 'generator'>;

/** What its operator should know of the addresses of a service that listens at `url`. */
export function addressWarnings(url: string, options: Addressed, env: NodeJS.ProcessEnv): string[] {
  return [unreachableTextures(url, options, env), lostPages(options)].filter((one) => one !== undefined);
}

/** Other machines are to reach the service, but it signs an address of this machine into its skins: they stay useless to players. */
function unreachableTextures(
  url: string,
  { host, publicUrl, generator }: Addressed,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const isOwnKey = (generator ?? (env['SKINSMITH_GENERATOR'] || 'signing')) === 'signing';
  const isForOthers = host !== undefined && !isLoopback(host);
  if (!isOwnKey || !isForOthers || publicUrl !== undefined || !isLoopback(new URL(url).hostname))
    return undefined;
  return (
    `Texture URLs of new skins start with ${url} permanently; other machines cannot reach it. ` +
    'Restart the service with the address that players use: --public-url https://skins.example.org'
  );
}

/** The links of pages begin at the root of a host. */
function lostPages({ publicUrl }: Addressed): string | undefined {
  if (publicUrl === undefined || new URL(publicUrl).pathname === '/') return undefined;
  return (
    `The pages do not work below a path, as in ${publicUrl}; the API and textures do if the proxy removes the path. ` +
    'To use the pages, give the service a host name of its own.'
  );
}
