import type { z } from 'zod';
import { type Content, type Html, html, say } from '../html/html.ts';
import type { Parsed } from '../server/http/route.ts';
import { placeAfter } from '../server/http/views.ts';
import { listOr, nextPageLink, type Page, sectionTabs } from './frame.ts';
import {
  type FormHandler,
  type FormSpec,
  formFor,
  type PageCall,
  type PageRoute,
  pageFor,
  type TypedForm,
} from './page-route.ts';

const SECTIONS = {
  overview: ['/ui/operator', say`Overview`],
  reports: ['/ui/operator/reports', say`Reports`],
  images: ['/ui/operator/images', say`Blocked pictures`],
  users: ['/ui/operator/users', say`Users`],
  accounts: ['/ui/account/games?whose=all', say`Game accounts`],
  capes: ['/ui/operator/capes', say`Capes`],
  log: ['/ui/operator/log', say`Log`],
} as const;

type Section = keyof typeof SECTIONS;

/** A page for operators, with links to the others. */
export function operatorPage(section: Section, page: Page): Page {
  return { ...page, body: html`${sectionTabs(say`Operator`, SECTIONS, section)}\n${page.body}` };
}

interface ListWords {
  readonly title: Content;
  /** In place of an empty list. */
  readonly none: Content;
  readonly above?: Html;
  readonly below?: Html;
  /** The heads of a table; absent: a list. */
  readonly columns?: readonly Html[];
  /** What the next page has of this one's query. */
  readonly filters?: Readonly<Record<string, string>>;
}

interface OperatorList<Query, Entry, View> {
  readonly section: Section;
  /** Default: all is on one page. */
  readonly query?: Query;
  readonly read: (call: PageCall<unknown, Parsed<Query>>) => Promise<View & { entries: readonly Entry[] }>;
  /** `after` of the page that follows an entry; absent: one page has all entries. */
  readonly placeOf?: (entry: Entry) => string;
  readonly page: (view: View, typed: TypedForm | undefined) => ListWords;
  readonly row: (entry: Entry, view: View) => Html;
  readonly forms?: (form: ListForm) => readonly PageRoute[];
}

/**
 * Makes the route of a form at an address below the list's, to which it leads back. With `''` it has the list's own
 * address, and the list shows it again if it is refused.
 */
type ListForm = <P extends z.ZodObject, Q extends z.ZodObject, F extends z.ZodType>(
  below: '' | `/${string}`,
  spec: FormSpec<P, Q, F>,
  handle: FormHandler<P, Q, F>,
) => PageRoute;

/** A page for operators that lists things, and its forms. */
export function operatorList<Query extends z.ZodObject, Entry, View>(
  list: OperatorList<Query, Entry, View>,
): readonly PageRoute[] {
  const { section, query, read, placeOf, page, row, forms = () => [] } = list;
  const [path] = SECTIONS[section];
  const route = pageFor('operator', path, { query }, async (call) => {
    const view = await read(call);
    const { entries } = view;
    const next = placeOf && placeAfter(entries, Number((call.query as { size?: number }).size), placeOf);
    const { title, none, above, below, columns, filters = {} } = page(view, call.typed);
    const rows = entries.map((entry) => row(entry, view));
    const more = nextPageLink(path, filters, next);
    const shown = columns && rows.length > 0 ? tableOf(title, columns, rows) : listOr(none, rows);
    return operatorPage(section, { title, body: html`${above}\n${shown}\n${more}\n${below}` });
  });
  const form: ListForm = (below, spec, handle) =>
    formFor(
      'operator',
      `${path}${below}`,
      { leadsTo: path, ...(below === '' && { on: route }), ...spec },
      handle,
    );
  return [route, ...forms(form)];
}

function tableOf(title: Content, columns: readonly Html[], rows: readonly Html[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row}</tr>`)}</tbody></table></div>`;
}
