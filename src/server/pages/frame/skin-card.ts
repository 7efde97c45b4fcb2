import { type Html, html } from '../html/html.ts';

/** A skin as lists show it. */
export interface SkinCard {
  readonly uuid: string;
  readonly name: string | null;
  readonly visibility: 'public' | 'unlisted' | 'private';
}

export function skinCards(skins: readonly SkinCard[]): Html {
  return html`<ul class="cards">${skins.map(skinCard)}</ul>`;
}

function skinCard(skin: SkinCard): Html {
  const { uuid, name } = skin;
  return html`<li><a class="card" href="/ui/skins/${uuid}">
<img src="${pictureAddress(skin, 'isometric', 192)}" alt="" width="102" height="192" loading="lazy">
<bdi>${name ?? html`<span class="quiet">${uuid.slice(0, 8)}</span>`}</bdi>
</a></li>`;
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
