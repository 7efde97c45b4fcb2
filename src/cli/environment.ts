/** Environment variables and what they do; help and man pages are made from this table. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  [
    'SKINSMITH_BASE_URL',
    'the service to use; likewise SKINSMITH_VISIBILITY, SKINSMITH_FORMAT, … for every setting',
  ],
  ['SKINSMITH_API_KEY', 'the API key for that service, for CI'],
  ['SKINSMITH_CONFIG_DIR', 'folder of the config file'],
  ['SKINSMITH_DATA_DIR', 'folder of the embedded service: its store and signing key'],
  ['SKINSMITH_GENERATOR', 'who makes the skins for serve, as --generator has it'],
  ['SKINSMITH_UPSTREAM', 'the other service that makes them, and SKINSMITH_UPSTREAM_KEY the key for it'],
  [
    'SKINSMITH_GAME_ADDRESSES',
    "JSON: where the game's services are (sessionServer, services, textures, publicKeys), if elsewhere",
  ],
  ['SKINSMITH_LOGIN_CLIENT_ID', 'your application at Microsoft, as --login-client-id of serve has it'],
  ['NO_COLOR', 'when set, no colours'],
];
