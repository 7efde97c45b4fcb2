import { element } from './element.ts';
import { count, say } from './language.ts';

/** Skins that a visitor has put aside in this browser: they stay over pages and reloads, until the visitor signs out. */

const KEY = 'skinsmith-tray';
const MOST = 500;

interface TraySkin {
  readonly uuid: string;
  readonly name: string;
}

/** Empty also in browsers that keep nothing. */
function readTray(): readonly TraySkin[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isTraySkin).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

function isTraySkin(value: Partial<TraySkin> | null): value is TraySkin {
  return /^[0-9a-f]{32}$/.test(String(value?.uuid)) && typeof value?.name === 'string';
}

function keepTray(skins: readonly TraySkin[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(skins.slice(0, MOST)));
  } catch {
    // This browser keeps nothing.
  }
  dispatchEvent(new Event('tray'));
}

function isInTray({ uuid }: TraySkin): boolean {
  return readTray().some((one) => one.uuid === uuid);
}

/** Puts a skin into the tray, or takes it out. */
function toggle(skin: TraySkin): void {
  const others = readTray().filter(({ uuid }) => uuid !== skin.uuid);
  keepTray(isInTray(skin) ? others : [...others, skin]);
}

/** Offers the tray on all cards of a page, and on the page of a skin. */
export function offerTray(): void {
  for (const card of document.querySelectorAll<HTMLAnchorElement>('.cards > li > a.card')) addButton(card);
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-to-tray]')) {
    const { toTray: uuid = '', name = '' } = button.dataset;
    act(button, { uuid, name });
  }
  for (const form of document.querySelectorAll('[data-sign-out]'))
    form.addEventListener('submit', () => keepTray([]));
  const shown = document.querySelector<HTMLElement>('[data-tray]');
  const show = () => {
    showLink();
    if (shown) showTray(shown);
  };
  for (const event of ['tray', 'storage', 'pageshow']) addEventListener(event, show);
  show();
}

function addButton(card: HTMLAnchorElement): void {
  const uuid = /[0-9a-f]{32}$/.exec(card.pathname)?.[0];
  if (uuid === undefined) return;
  const skin = { uuid, name: card.textContent.trim() };
  const ariaLabel = say('Keep in the tray: {0}', skin.name);
  const button = element('button', { type: 'button', className: 'to-tray quiet-button', ariaLabel });
  act(button, skin);
  card.after(button);
}

function act(button: HTMLButtonElement, skin: TraySkin): void {
  const tell = () => {
    button.ariaPressed = String(isInTray(skin));
  };
  button.addEventListener('click', () => toggle(skin));
  for (const event of ['tray', 'storage', 'pageshow']) addEventListener(event, tell);
  tell();
}

/** The link beside the menu, with the number of skins. */
function showLink(): void {
  const link = document.querySelector<HTMLElement>('[data-tray-link]');
  if (!link) return;
  const skins = readTray().length;
  link.hidden = skins === 0;
  link.querySelector('span')!.textContent = `(${count(skins)})`;
}

/** Fills the page of the tray. Cards that are there stay, so that nothing moves. */
function showTray(page: HTMLElement): void {
  const skins = readTray();
  for (const part of page.querySelectorAll<HTMLElement>('[data-full]')) part.hidden = skins.length === 0;
  page.querySelector<HTMLElement>('[data-empty]')!.hidden = skins.length > 0;
  const ids = skins.map(({ uuid }) => uuid).join();
  for (const field of page.querySelectorAll<HTMLInputElement>('input[name="ids"]')) field.value = ids;
  const pack = page.querySelector<HTMLAnchorElement>('[data-pack]')!;
  pack.href = `${pack.dataset['pack']}?ids=${ids}`;
  const list = page.querySelector('.cards')!;
  const isThere = list.childElementCount > 0;
  if (!isThere) list.append(...skins.map(cardOf));
  page.querySelector<HTMLElement>('[data-clear]')!.onclick = () => {
    keepTray([]);
    list.replaceChildren();
  };
}

function cardOf({ uuid, name }: TraySkin): HTMLElement {
  const src = `/ui/skins/${uuid}/pictures/body?size=136`;
  const image = element('img', { loading: 'lazy', width: 68, height: 136, alt: '', src });
  const href = `/ui/skins/${uuid}`;
  const card = element('a', { className: 'card', href }, image, element('bdi', {}, name));
  const item = element('li', {}, card);
  addButton(card);
  return item;
}
