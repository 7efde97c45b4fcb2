import { z } from 'zod';
import { type Html, html, say } from '../html/html.ts';
import { setNameSchema } from '../protocol/set.ts';
import { uuidSchema } from '../protocol/skin.ts';
import { hasScope } from '../server/service/callers.ts';
import { type Page, selectionToSet } from './frame.ts';
import { putIntoSet } from './new-set.ts';
import { forUsers, optionalField, type PageRoute, pageRoute, seeOther } from './page-route.ts';

const PATH = '/ui/tray';
/** As many as a set may have. */
const MAX_SKINS = 500;

/** The skins that a visitor has put aside. The browser keeps them, and the page's script shows them. */
export const TRAY_PAGES: readonly PageRoute[] = [
  pageRoute({
    method: 'GET',
    path: PATH,
    isFor: 'callers',
    handle: async ({ caller, session }) => {
      const isUser = session !== undefined;
      return trayPage({ mayUseSets: isUser && hasScope(caller, 'skins'), isUser });
    },
  }),
  pageRoute({
    method: 'POST',
    path: PATH,
    ...forUsers('skins'),
    handle: async ({ context, caller, request }) => {
      const { ids, set } = formSchema.parse(request.body ?? {});
      if (set !== undefined && ids.length > 0)
        return seeOther(
          `/ui/sets/${await putIntoSet(context, caller, { name: set, visibility: 'unlisted', skins: ids })}`,
        );
      const problem =
        ids.length > 0 ? say`Type the name of a new or existing set first.` : say`Select skins first.`;
      return { ...trayPage({ mayUseSets: true, isUser: true, problem }), status: 400 };
    },
  }),
];

const formSchema = z.object({
  ids: z
    .string()
    .transform((text) => text.split(',').filter((id) => id !== ''))
    .pipe(z.array(uuidSchema).max(MAX_SKINS)),
  set: optionalField(setNameSchema),
});

interface TrayView {
  readonly isUser: boolean;
  readonly mayUseSets: boolean;
  readonly problem?: Html;
}

function trayPage({ isUser, mayUseSets, problem }: TrayView): Page {
  return {
    title: say`Tray`,
    body: html`<div data-tray>${problem && html`<p class="problem" role="alert">${problem}</p>`}
<p class="without-script">${say`The tray needs scripts. Without them, select skins in the gallery or among your own.`}</p>
<p class="empty" data-empty hidden>${say`The tray is empty. Press + on a skin, and it waits here until you sign out.`}</p>
<div class="acts" data-full hidden><form method="post" action="/ui/make/skins.zip" data-zip><input type="hidden" name="ids"><button>${say`Pictures and data (zip)`}</button></form>
<a data-pack="${isUser ? '/ui/skins/pack.zip' : '/v2/skins/pack.zip'}" download="pack.zip">${say`Resource pack`}</a>
<button type="button" class="quiet-button" data-clear>${say`Empty the tray`}</button></div>
${mayUseSets && html`<form class="panel" method="post" action="${PATH}" data-full hidden><input type="hidden" name="ids">${selectionToSet('', say`Add them to the set`)}</form>`}
<div class="gallery"><ul class="cards"></ul></div></div>`,
  };
}
