/** Environment variables and their effects; help and man pages are generated from this table. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['SKINSMITH_BASE_URL', 'service to use, as with --base-url'],
  [
    'SKINSMITH_<SETTING>',
    'any other setting: SKINSMITH_VISIBILITY, SKINSMITH_FORMAT and so on (see skinsmith help config set)',
  ],
  ['SKINSMITH_API_KEY', 'API key for the service, for example in CI'],
  ['SKINSMITH_NO_LOCAL', 'if set to 1, never fall back to the embedded service, as with --no-local'],
  [
    'SKINSMITH_INSECURE_HTTP',
    'if set to 1, allow sending the API key over plain http to public addresses, as with --insecure-http',
  ],
  ['SKINSMITH_CONFIG_DIR', 'folder of the config file (see skinsmith config path)'],
  [
    'SKINSMITH_DATA_DIR',
    'data folder of the embedded service: its store and signing key; also what commands remember of batches',
  ],
  [
    'XDG_CONFIG_HOME',
    'on Linux, where the folder of the config file is made unless SKINSMITH_CONFIG_DIR is set (default: ~/.config)',
  ],
  [
    'XDG_DATA_HOME',
    'on Linux, where the data folder is made unless SKINSMITH_DATA_DIR is set (default: ~/.local/share)',
  ],
  ['SKINSMITH_STORE', 'PostgreSQL database that is the store of serve, as with --store'],
  ['SKINSMITH_FETCH_PROXY', 'proxy of serve for webhooks and picture URLs, as with --fetch-proxy'],
  ['SKINSMITH_GENERATOR', 'what makes the skins of serve, as with --generator'],
  ['SKINSMITH_UPSTREAM', 'service that makes the skins of serve, as with --upstream'],
  ['SKINSMITH_UPSTREAM_KEY', 'API key for that service'],
  [
    'SKINSMITH_GAME_ADDRESSES',
    "other addresses of the game's services, as JSON (sessionServer, services, textures, publicKeys)",
  ],
  ['SKINSMITH_LOGIN_CLIENT_ID', 'ID of your Microsoft application, as with --login-client-id of serve'],
  ['SKINSMITH_OIDC_ISSUER', 'provider that people may sign in to serve with, as with --oidc-issuer'],
  ['SKINSMITH_OIDC_CLIENT_ID', "the service's client ID at that provider"],
  ['SKINSMITH_OIDC_SECRET', 'client secret for that provider'],
  [
    'NODE_COMPILE_CACHE',
    "folder to keep compiled code in, which makes starts faster; default: the user's cache folder (~/.cache)",
  ],
  ['NODE_DISABLE_COMPILE_CACHE', 'if set, keep no compiled code'],
  ['NO_COLOR', 'if set, do not use colours'],
  ['NODE_EXTRA_CA_CERTS', 'file of certificate authorities to trust besides the usual ones'],
  [
    'HTTPS_PROXY, HTTP_PROXY',
    'proxies for the service, its textures, the game and the provider that people sign in with; in lower case, too',
  ],
  [
    'NO_PROXY',
    'hosts to reach without a proxy: names, domains, addresses, networks, or *; with commas between',
  ],
];
