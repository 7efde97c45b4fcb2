import { removeBrowserFile, removeOldBrowserFiles, writeBrowserFile } from './browser-file.ts';

interface Leading {
  readonly home: string;
  readonly now: number;
  /** Opens a file in the browser; false where nothing does. It may take until the browser ends. */
  readonly launch: (path: string) => Promise<boolean>;
  /** Waits until the link is used, for as long as that makes sense. False if it was not, or the signal aborts. */
  readonly untilUsed: (signal: AbortSignal) => Promise<boolean>;
}

/** `unopened`: there is no browser; `unwritten`: nothing can be written for one to open. */
export type Led = 'used' | 'unused' | 'unopened' | 'unwritten';

/** Leads the person's browser to a link by a file, which is there only until the link has been used. */
export async function leadBrowser(link: string, { home, now, launch, untilUsed }: Leading): Promise<Led> {
  removeOldBrowserFiles(home, now);
  const path = writeBrowserFile(home, link);
  if (path === undefined) return 'unwritten';
  const unopened = new AbortController();
  try {
    launch(path).then(
      (isOpen) => isOpen || unopened.abort(),
      () => unopened.abort(),
    );
    if (await untilUsed(unopened.signal)) return 'used';
    return unopened.signal.aborted ? 'unopened' : 'unused';
  } finally {
    removeBrowserFile(path);
  }
}
