import { z } from 'zod';
import { type Html, html, say } from '../html/html.ts';
import { setNameSchema } from '../protocol/set.ts';
import { uuidSchema } from '../protocol/skin.ts';
import { hasScope } from '../server/service/callers.ts';
import { cameFrom } from './cookies.ts';
import { type Page, selectionToSet } from './frame.ts';
import { missingForSet, putIntoSet, toSet } from './new-set.ts';
import { formFor, optionalField, type PageRoute, pageFor, seeOther } from './page-route.ts';

const PATH = '/ui/tray';
/** The set that is the tray of a person whose browser runs no scripts. */
const TRAY = 'Tray';
/** As many as a set may have. */
const MAX_SKINS = 500;

const trayFields = z.object({
  ids: z
    .string()
    .transform((text) => text.split(',').filter((id) => id !== ''))
    .pipe(z.array(uuidSchema).max(MAX_SKINS)),
  set: optionalField(setNameSchema),
  act: z.enum(['set', 'keep']).default('set'),
});

/** The skins that a visitor has put aside. The browser keeps them, and the page's script shows them. */
export const TRAY_PAGES: readonly PageRoute[] = [
  pageFor('callers', PATH, {}, async ({ caller, session }) => {
    const isUser = session !== undefined;
    return trayPage({ mayUseSets: isUser && hasScope(caller, 'skins'), isUser });
  }),
  formFor('skins', PATH, { fields: trayFields }, async (call) => {
    const { ids, set, act } = call.fields;
    if (act === 'keep') {
      await putIntoSet(call.context, call.caller, { name: TRAY, visibility: 'unlisted', skins: ids });
      return seeOther(`${cameFrom(call.request) ?? PATH}#kept`);
    }
    const problem = missingForSet(ids, set);
    if (set !== undefined && !problem) return await toSet(call, { name: set, skins: ids });
    return { ...trayPage({ mayUseSets: true, isUser: true, problem }), status: 400 };
  }),
];

interface TrayView {
  readonly isUser: boolean;
  readonly mayUseSets: boolean;
  readonly problem?: Html | undefined;
}

function trayPage({ isUser, mayUseSets, problem }: TrayView): Page {
  return {
    title: say`Tray`,
    body: html`<div data-tray>${problem && html`<p class="problem" role="alert">${problem}</p>`}
<p class="without-script">${mayUseSets ? say`Without scripts, + puts a skin into your set <a href="/ui/sets">Tray</a>.` : say`The tray needs scripts. Without them, select skins in the gallery or among your own.`}</p>
<p class="empty" data-empty hidden>${say`The tray is empty. Press + on a skin, and it waits here until you sign out.`}</p>
<div class="acts" data-full hidden><form method="post" action="/ui/make/skins.zip" class="acts" data-zip><input type="hidden" name="ids"><button>${say`Pictures and data (zip)`}</button> <button name="as" value="customskin.zip" class="quiet-button">${say`Files for SkinsRestorer (zip)`}</button></form>
<a data-pack="${isUser ? '/ui/skins/pack.zip' : '/v2/skins/pack.zip'}" download="pack.zip">${say`Resource pack`}</a>
<button type="button" class="quiet-button" data-clear>${say`Empty the tray`}</button></div>
${mayUseSets && html`<form class="panel" method="post" action="${PATH}" data-full hidden><input type="hidden" name="ids">${selectionToSet('', say`Add them to the set`)}</form>`}
<div class="gallery"><ul class="cards"></ul></div></div>`,
  };
}
