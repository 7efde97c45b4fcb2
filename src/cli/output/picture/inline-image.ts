/** Maximum number of base64 characters in one kitty escape sequence. */
const CHUNK = 4096;

/** The cells that an image fills. */
export interface Cells {
  readonly columns: number;
  readonly rows: number;
}

/** A PNG in kitty's graphics protocol. The terminal's responses are suppressed. */
export function kittyImage(png: Uint8Array, { columns, rows }: Cells): string {
  const base64 = Buffer.from(png).toString('base64');
  const chunks = base64.match(new RegExp(`.{1,${CHUNK}}`, 'g')) ?? [];
  const sequences = chunks.map((chunk, index) => {
    const first = index === 0 ? `a=T,f=100,q=2,c=${columns},r=${rows},` : '';
    return `\x1b_G${first}m=${index < chunks.length - 1 ? 1 : 0};${chunk}\x1b\\`;
  });
  return sequences.join('');
}

/** A PNG in iTerm2's inline images protocol, which WezTerm and mintty also support. */
export function itermImage(png: Uint8Array, { columns, rows }: Cells): string {
  const size = `size=${png.length};width=${columns};height=${rows};preserveAspectRatio=1`;
  return `\x1b]1337;File=inline=1;${size}:${Buffer.from(png).toString('base64')}\x07`;
}
