/** All bindings of a key, as options. */
export const bindings = [
  ...['--allow-ip', '::1', '--allow-ip', '10.0.0.0/8', '--allow-origin', 'https://a.example'],
  ...['--allow-agent', 'MyApp', '--v2-compat'],
];

/** The same, parsed. */
export const bound = {
  allowIp: ['::1', '10.0.0.0/8'],
  allowOrigin: ['https://a.example'],
  allowAgent: ['MyApp'],
  v2Compat: true,
};
