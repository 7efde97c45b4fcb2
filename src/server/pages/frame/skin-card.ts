import { type Html, html } from '../html/html.ts';

/** A skin as lists show it. */
export interface SkinCard {
  readonly uuid: string;
  readonly name: string | null;
  readonly visibility: 'public' | 'unlisted' | 'private';
}

/** How a card shows its skin, with the width of the picture: a front view takes a quarter of the bytes. */
const LOOKS = { isometric: 85, front: 80 } as const;

interface CardOptions<Skin extends SkinCard> {
  readonly look?: keyof typeof LOOKS;
  /** What else is told of each skin. */
  readonly below?: (skin: Skin) => Html | undefined;
}

export function skinCards<Skin extends SkinCard>(
  skins: readonly Skin[],
  { look = 'isometric', below = () => undefined }: CardOptions<Skin> = {},
): Html {
  return html`<ul class="cards">${skins.map((skin) => html`<li>${skinCard(skin, look)}${below(skin)}</li>`)}</ul>`;
}

function skinCard(skin: SkinCard, look: keyof typeof LOOKS): Html {
  const { uuid, name } = skin;
  return html`<a class="card" href="/ui/skins/${uuid}">
<img src="${pictureAddress(skin, look, 160)}" alt="" width="${LOOKS[look]}" height="160" loading="lazy">
<bdi>${name ?? html`<span class="quiet">${uuid.slice(0, 8)}</span>`}</bdi>
</a>`;
}

/** A picture of a skin. Those of private ones are only for their owner, who is known by the session. */
export function pictureAddress(
  { uuid, visibility }: Pick<SkinCard, 'uuid' | 'visibility'>,
  view: 'isometric' | 'front' | 'back' | 'face',
  size: number,
): string {
  if (visibility === 'private') return `/ui/skins/${uuid}/pictures/${view}?size=${size}`;
  return `/v2/skins/${uuid}/${view}.png?size=${size}`;
}
