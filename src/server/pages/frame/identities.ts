import type { Identity } from '../../../protocol/account.ts';
import { type Html, html } from '../html/html.ts';
import { actionButton } from './action-button.ts';
import { moment } from './moment.ts';
import type { Page } from './page.ts';

/** Rows of a list: who signs in with a provider. `path`: where the forms lead, before `/<id>/unlink`. */
export function identityRows(identities: readonly Identity[], path: string): Html[] {
  return identities.map(
    ({
      id,
      issuer,
      subject,
      createdAt,
    }) => html`<li class="panel"><div class="grow"><strong><bdi class="breaks">${subject}</bdi></strong>
<p class="quiet">at <bdi class="breaks">${issuer}</bdi>, since ${moment(createdAt)}</p></div>
${actionButton(`${path}/${id}/unlink`, 'Unlink', { about: subject, isDanger: true })}</li>`,
  );
}

interface LastWay {
  /** The account at a provider. */
  readonly subject: string;
  /** The page to return to. */
  readonly back: string;
  readonly whose: 'You have' | 'This user has';
}

/** Asks before the only way in is taken away. */
export function lastWayPage(action: string, { subject, back, whose }: LastWay): Page {
  return {
    title: 'Unlink the only way in?',
    body: html`<form class="panel" method="post" action="${action}"><input type="hidden" name="last" value="yes">
<p><strong><bdi class="breaks">${subject}</bdi></strong></p>
<p>${whose} no other way to sign in: no API key that works from anywhere, and no other account at a provider. Make a key first, or nobody but an operator can let ${whose === 'You have' ? 'you' : 'the user'} in again.</p>
<div class="acts"><button class="danger">Unlink it all the same</button> <a href="${back}">Keep it</a></div></form>`,
  };
}
