import type { AnyView } from '../../skin/render/render.ts';
import type { RenderInput } from '../pictures/renders.ts';
import type { Answer, Call, Route } from './route.ts';

type Headers = Readonly<Record<string, string>>;

/** For an answer that pages of any site may show: a picture, or the redirection to one. */
export const EVERYWHERE: Headers = { 'Cross-Origin-Resource-Policy': 'cross-origin' };

/** The picture of a default skin that a page shows while a player's own must wait; `texture`: the skin itself. */
export function standInFor(view: AnyView | 'texture'): NonNullable<Route['standIn']> {
  return async ({ playerLooks, renders }) => {
    const skin = playerLooks.defaultSkin('steve');
    return view === 'texture' ? skin.texture.png : await renders.standIn(skin.texture, skin.variant, view);
  };
}

/** Kept by nobody, and shown by no other site. */
export const PRIVATE: Headers = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** A PNG under a name that changes with its pixels. The pictures may be shown by pages anywhere. */
export function pngAnswer(
  { request }: Pick<Call, 'request'>,
  { name, png }: { readonly name: string; readonly png: Uint8Array },
  headers: Headers,
): Answer {
  const tagged = tag(name, headers);
  if (request.headers['if-none-match'] === tagged.ETag)
    return { status: 304, body: undefined, headers: tagged };
  return { status: 200, body: bytesOf(png), headers: { ...tagged, 'Content-Type': 'image/png' } };
}

/** A picture that is drawn unless the caller has it. @throws Refusal `rate_limit`, `service_unavailable` */
export async function renderAnswer(
  call: Pick<Call, 'request' | 'context' | 'caller'>,
  input: RenderInput,
  headers: Headers,
): Promise<Answer> {
  const { context, caller, request } = call;
  const name = context.renders.nameOf(input);
  const tagged = tag(name, headers);
  if (request.headers['if-none-match'] === tagged.ETag)
    return { status: 304, body: undefined, headers: tagged };
  return pngAnswer(call, await context.renders.render(input, caller, name), headers);
}

/** The same bytes: nobody changes them. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function tag(name: string, headers: Headers) {
  return { ...EVERYWHERE, ...headers, ETag: `"${name}"` };
}
