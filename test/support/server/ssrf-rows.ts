import type { OutboundFault } from '../../../src/server/outbound/target.ts';

/** URLs that must not be requested; PORT is the trap's, which listens and is allowed. */
type Rows = Readonly<Partial<Record<OutboundFault, readonly string[]>>>;

/** Every spelling of an address that a URL accepts, and addresses of every kind. */
export const LITERALS: readonly string[] = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '127.0.0.1.', '127.1.'],
  ...['2130706433', '0x7f000001', '0x7f.1', '0x7f.0.0.1', '0X7F.0x0.0x0.0x1', '0177.1', '0177.0.0.01'],
  ...[
    '017700000001',
    '00000000177.0.0.1',
    '0x000000007f.0.0.1',
    '127.0x1',
    '127.0.0.0x1',
    '0',
    '0x0',
    '0.0.0.0',
  ],
  ...[
    '１２７.０.０.１',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '127．0．0．1',
    '127｡0.0｡1',
    '𝟏𝟐𝟕.𝟎.𝟎.𝟏',
    '127.0.0.1\u00AD',
  ],
  ...['%31%32%37.0.0.1', '127%2E0%2E0%2E1', '%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1', '127%E3%80%820.0.1'],
  ...[
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '100.64.0.1',
    '168.63.129.16',
  ],
  ...['0.0.0.1', '192.0.0.192', '192.0.2.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0.0.0.1]'],
  ...['[::ffff:127.0.0.1]', '[::FFFF:7F00:1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::127.0.0.1]', '[::7f00:1]'],
  ...[
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
  ],
  ...[
    '[2001:0:7f00:1::1]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fec0::1]',
    '[ff02::1]',
    '[100::1]',
  ],
  ...['[2001:db8::1]', '[2001:10::1]', '[2001:20::1]', '[2001:2::1]', '[4000::1]'],
];

/** Names of this machine that need no look-up. */
export const LOCAL_NAMES: readonly string[] = [
  ...['localhost', 'LOCALHOST', 'LocalHost.', 'localhost.', 'a.localhost', 'a.b.localhost.', 'ｌocalhost'],
  ...['local%68ost', '%6cocalhost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'local\u00ADhost'],
];

/** What a name server may answer with, all of it addresses that are not reached. */
export const ANSWERS: readonly (readonly string[])[] = [
  ['127.0.0.1'],
  ['10.0.0.1'],
  ['169.254.169.254'],
  ['0.0.0.0'],
  ['::1'],
  ['::'],
  ['::ffff:127.0.0.1'],
  ['::ffff:7f00:1'],
  ['::127.0.0.1'],
  ['64:ff9b::7f00:1'],
  ['2002:7f00:1::'],
  ['fe80::1'],
  ['fe80::1%lo'],
  ['fd00:ec2::254'],
  ['127.0.0.1', '::1', '10.0.0.1'],
  ['not an address'],
  ['127.1'],
];

/** Whole URLs, with tricks about where the host begins and ends, schemes, ports. */
export const URLS: Rows = {
  address_refused: [
    ...[
      'http:127.0.0.1:PORT',
      'http:/127.0.0.1:PORT',
      'http:///127.0.0.1:PORT/',
      'http:\\\\127.0.0.1:PORT\\',
    ],
    ...[
      ' http://127.0.0.1:PORT/',
      'http://127.0.\n0.1:PORT/',
      'ht\ttp://127.0.0.1:PORT/',
      'HTTP://127.0.0.1:PORT',
    ],
    ...[
      'http://127.0.0.1:PORT#@public.test/',
      'http://127.0.0.1:PORT?@public.test/',
      'http://127.0.0.1:PORT\\@a/',
    ],
    ...['http://127.0.0.1', 'https://127.0.0.1', 'https://127.0.0.1:PORT', 'http://[::1]:PORT/a?b#c'],
    'http://@127.0.0.1:PORT/',
  ],
  bad_url: [
    ...[
      '',
      ' ',
      'http://',
      'http:',
      'https://:PORT',
      'http://:@/',
      'http://?',
      '//127.0.0.1:PORT',
      '127.0.0.1:PORT',
    ],
    ...[
      'localhost:PORT',
      '/etc/passwd',
      'http://%',
      'http://a b/',
      'http://a\0b/',
      'http://%00/',
      'http://[::1',
    ],
    ...[
      'http://[fe80::1%25lo]:PORT/',
      'http://[::1%lo]:PORT/',
      'http://[127.0.0.1]:PORT/',
      'http://256.1.1.1/',
    ],
    ...['http://0x100000000/', 'http://1.2.3.4.5/', 'http://127.0.0.1:99999/', 'http://127.0.0.1:PORT:80/'],
    ...['http://127.0.0.1:-80/', 'http://0x7f.0.0.0x1g.1/', `http://public.test/${'a'.repeat(2_048)}`],
    ...[
      'file:///etc/passwd',
      'file://127.0.0.1:PORT/',
      'ftp://127.0.0.1:PORT/',
      'gopher://127.0.0.1:PORT/_GET',
    ],
    ...['ws://127.0.0.1:PORT/', 'wss://127.0.0.1/', 'data:text/plain,hi', 'javascript:alert(1)', 'blob:null'],
    ...[
      'unix:/run/docker.sock',
      'http+unix://%2Frun%2Fdocker.sock/',
      'dict://127.0.0.1:PORT/',
      'jar:http://a!/',
    ],
    ...[
      'http://user:secret@127.0.0.1:PORT/',
      'http://public.test@127.0.0.1:PORT/',
      'http://:pw@public.test/',
    ],
    ...['http://public.test%40@127.0.0.1:PORT/', 'http://127.0.0.1:PORT@public.test/', 'https://a:b@[::1]/'],
  ],
  port_refused: [
    ...[
      'http://public.test:22/',
      'http://public.test:6379/',
      'https://public.test:8443/',
      'http://public.test:0/',
    ],
    ...['http://1.1.1.1:25/', 'http://[2606:4700::1111]:11211/', 'http://public.test:65535/'],
  ],
  unresolved: ['http://nowhere.test/', 'http://xn--bcher-kva.test/', 'http://bücher.test./'],
};
