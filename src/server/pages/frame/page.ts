import type { Html } from '../html/html.ts';

/** Who looks at a page; undefined if nobody is signed in. */
export type Visitor = { readonly name: string; readonly isOperator: boolean } | undefined;

/** A page without its frame. */
export interface Page {
  /** Default: 200. */
  readonly status?: number;
  /** Stands in the browser's tab, and as the page's first heading unless it has one of its own. */
  readonly title: string;
  readonly hasOwnHeading?: boolean;
  readonly body: Html;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The same from a terminal. */
  readonly terminal?: TerminalLines;
}

/** How to do the same from a terminal. */
export interface TerminalLines {
  readonly skinsmith: string;
  /** What curl asks for. */
  readonly url: string;
  /** Further options of curl. */
  readonly options: string;
}
