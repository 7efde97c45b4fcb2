import { type Html, html, say } from '../html/html.ts';
import { type ServiceContext, USUAL_NAME } from '../server/context.ts';
import { readPublicSkins } from '../server/service/skins/skins.ts';
import { withVisitorCookie } from './cookies.ts';
import { type Page, skinCards } from './frame.ts';
import { assetAddress } from './layout.ts';
import { formMakerOf, makeForm } from './make.ts';
import { type PageCall, pageFor } from './page-route.ts';
import { unfoldedHead } from './share.ts';

/** Skins on the start page: full rows at every width, and less than 70 KB with all pictures. */
const NEWEST = 6;

/** All that the page shows about a person is the name. */
const startSpec = { isSafeToCompress: true };
export const startRoute = pageFor('everyone', '/ui', startSpec, async (call) =>
  call.mayUse ? withVisitorCookie(await startPage(call), call) : await startPage(call),
);

const TITLE = say`Signed Minecraft skins`;
const LEAD = say`Upload a picture and get signed skin data for players, heads and NPCs.`;
const GROUP = say`Five Minecraft skins: a smith, a ranger, a knight, a robot and a miner`;

/** Who signs the skins of this server. */
const SIGNERS: Readonly<Record<ServiceContext['generatorKind'], Html>> = {
  signing: say`This server signs skins with its own key. Only players whose Minecraft trusts this server
(<a href="${'https://github.com/yushijinhun/authlib-injector'}">authlib-injector</a>) see these skins.`,
  accounts: say`Mojang signs the skins made here. Every server accepts them.`,
  upstream: say`Another service makes and signs the skins for this server.`,
};

/** For the owner of a new service. */
const FIRST_STEPS = html`<section class="panel"><h2>${say`First steps`}</h2><ol>
<li>${say`Give this server a name: <code>skinsmith serve --service-name NAME</code>.`}</li>
<li>${say`Tell it the address that others see: <code>--public-url https://…</code>.`}</li>
<li>${say`Decide who signs the skins: <code>--generator</code>.`}</li>
<li>${say`Invite others: <a href="/ui/operator/users">create users</a>, and send each an invitation.`}</li></ol></section>`;

async function startPage(call: PageCall): Promise<Page> {
  const { context, caller, mayUse, visitor } = call;
  const { skins } = mayUse ? await readPublicSkins(context, caller, { size: NEWEST }) : { skins: [] };
  const { name } = context.site;
  const title = name === USUAL_NAME ? TITLE : name;
  const picture = { path: '/card.png', alt: GROUP };
  const head = unfoldedHead(context, { path: '/', title, description: LEAD, picture });
  return {
    title,
    hasOwnHeading: true,
    isIndexed: true,
    head: html`${head}<link rel="alternate" type="application/atom+xml" href="/ui/gallery.atom" title="${say`Newest skins`}">\n`,
    // Link bots get this page where programs get the key document.
    headers: { Vary: 'Accept, Accept-Encoding, Accept-Language, Cookie, User-Agent' },
    body: html`<div class="hero">
<div><h1>${name === USUAL_NAME ? TITLE : html`<bdi>${name}</bdi>`}</h1>
<p class="lead">${LEAD}</p>
<p>${SIGNERS[context.generatorKind]}</p>
<img class="group" src="${assetAddress('group.png')}" alt="${GROUP}" width="472" height="184"></div>
<div>${mayUse ? makeForm({ from: 'file', maker: await formMakerOf(call) }) : html`<p class="panel">${say`<a class="button" href="${'/ui/sign-in'}">Sign in</a> to make skins here.`}</p>`}</div>
</div>
${skins.length === 0 && visitor?.isOperator && FIRST_STEPS}<section aria-labelledby="newest"><h2 id="newest">${say`Newest skins`}</h2>
${skins.length > 0 ? html`<div class="gallery">${skinCards(skins)}</div><p class="more"><a href="/ui/gallery">${say`All skins in the gallery`}</a></p>` : html`<p class="empty">${say`There are no public skins yet. <a href="${'/ui/make'}">Make the first one.</a>`}</p>`}
</section>`,
  };
}

export const apiRoute = pageFor('everyone', '/ui/api', {}, async ({ context }) =>
  apiPage(context.publicUrl()),
);

/** For people who write programs: what the API is, and how to begin. */
function apiPage(origin: string): Page {
  return {
    title: 'API',
    isIndexed: true,
    body: html`<p class="lead">${say`This server speaks the MineSkin API, version 2: change the base address of a program to <code>${origin}</code>, and it works.`}</p>
<ul>
<li>${say`Send an API key as <code>Authorization: Bearer …</code>. Create one under <a href="${'/ui/account/keys'}">API keys</a>; some servers need none.`}</li>
<li>${say`Send a User-Agent that names your program.`}</li>
<li>${say`If a request is refused, wait as long as <code>Retry-After</code> says.`}</li>
<li>${say`All details: <a href="${'/openapi.json'}">openapi.json</a>, for code generators and tools such as Swagger UI.`}</li>
<li>${say`Programs for version 1 keep working. With a key that sends their requests through the queue, they need no pauses between requests.`}</li>
</ul>`,
  };
}
