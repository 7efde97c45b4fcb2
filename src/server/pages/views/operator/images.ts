import type { BlockedImage } from '../../../../protocol/moderation.ts';
import { actionButton } from '../../frame/action-button.ts';
import { moment } from '../../frame/moment.ts';
import type { Page } from '../../frame/page.ts';
import { terminalOf } from '../../frame/terminal.ts';
import { type Html, html } from '../../html/html.ts';
import { listOr, moreOf, operatorPage } from './section.ts';

export interface ImagesView {
  readonly images: readonly BlockedImage[];
  /** `after` of the next page. */
  readonly next: string | undefined;
  readonly origin: string;
}

const PATH = '/ui/operator/images';

export function imagesPage({ images, next, origin }: ImagesView): Page {
  return operatorPage('images', {
    title: 'Blocked images',
    body: html`<p>The service refuses a blocked image in any file and no longer serves it. Skins that have it are hidden.</p>
<form class="panel" method="post" action="${PATH}"><div class="row">
<div><label for="hash">Hash of an image</label><input id="hash" name="hash" required pattern="[0-9a-f]{64}" maxlength="64" autocomplete="off" spellcheck="false"></div>
<div><label for="note">Why, for the log</label><input id="note" name="note" maxlength="500" autocomplete="off"></div>
<div class="end"><button>Block it</button></div></div></form>
${listOr('No image is blocked.', images.map(row))}
${moreOf(PATH, {}, next)}`,
    terminal: terminalOf('skinsmith moderation list', origin, '/v2/account/blocked-images'),
  });
}

function row({ hash, note, blockedBy, blockedAt }: BlockedImage): Html {
  return html`<div class="grow"><code class="breaks">${hash}</code>${note !== '' && html`<p><bdi>${note}</bdi></p>`}
<p class="quiet">Blocked by <bdi>${blockedBy}</bdi>, ${moment(blockedAt)}</p></div>
<div class="acts">${actionButton(`${PATH}/${hash}/unblock`, 'Unblock', { about: hash.slice(0, 8) })}</div>`;
}
