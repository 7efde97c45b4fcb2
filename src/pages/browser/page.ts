import { offerCopying, offerSharing } from './buttons.ts';
import { element } from './element.ts';
import { followJob, followJobs, followLogin } from './jobs.ts';
import { count, isEnglish, say } from './language.ts';
import { offerTray } from './tray.ts';
import { offerViewer } from './viewer.ts';

/** The script of all pages, for what forms and links cannot do. The form that makes skins has one of its own. */

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) offerCopying(button);
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-share]')) offerSharing(button);
for (const stage of document.querySelectorAll<HTMLElement>('[data-viewer]')) offerViewer(stage);
for (const element of document.querySelectorAll<HTMLElement>('[data-job]')) void followJob(element);
for (const form of document.querySelectorAll<HTMLFormElement>('[data-select]')) offerSelectingAll(form);
for (const form of document.querySelectorAll<HTMLFormElement>('[data-order]')) offerMoving(form);
for (const form of document.querySelectorAll<HTMLFormElement>(
  'form[method="post"]:not([data-zip], [data-make])',
))
  sendOnce(form);
for (const form of document.querySelectorAll<HTMLFormElement>('search form'))
  form.addEventListener('formdata', ({ formData }) => {
    // The address of a search need not have what is empty.
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name);
  });
for (const panel of document.querySelectorAll<HTMLElement>('[data-remember]')) rememberUse(panel);
for (const list of document.querySelectorAll<HTMLElement>('[data-jobs]')) followJobs(list);
for (const element of document.querySelectorAll<HTMLElement>('[data-login]')) void followLogin(element);

offerTray();
// What can be done with selected skins would cover most of a phone.
if (matchMedia('(max-width: 30rem)').matches)
  for (const part of document.querySelectorAll<HTMLDetailsElement>('[data-fold]')) part.open = false;

/** Milliseconds for which a form is not sent again. No event tells that a person stopped the browser. */
const ONCE_FOR = 5_000;

/** A second click while the first is under way would make a second job, key or account. */
function sendOnce(form: HTMLFormElement): void {
  let sentAt = Number.NEGATIVE_INFINITY;
  form.addEventListener('submit', (event) => {
    if (event.timeStamp - sentAt < ONCE_FOR) event.preventDefault();
    else sentAt = event.timeStamp;
  });
  addEventListener('pageshow', () => {
    sentAt = Number.NEGATIVE_INFINITY;
  });
}

/** Milliseconds. */
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Times in English are those of ISO 8601, as on the pages themselves. */
const DATES = isEnglish() ? 'sv' : document.documentElement.lang;

/** Tells times in the person's time zone, and how long ago the latest were. */
function showLocalTimes(): void {
  for (const element of document.querySelectorAll('time')) {
    if (element.title === '') element.title = element.textContent;
    const text = localTime(new Date(element.dateTime), element.dataset['day'] === undefined);
    if (text !== element.textContent) element.textContent = text;
  }
}

function localTime(time: Date, hasMinutes: boolean): string {
  const day = time.toLocaleDateString(DATES, { dateStyle: 'short' });
  if (!hasMinutes) return day;
  const minute = time.toLocaleTimeString(DATES, { timeStyle: 'short' });
  const age = Date.now() - time.getTime();
  return age >= 0 && age < DAY ? `${ago(age)} (${minute})` : `${day} ${minute}`;
}

function ago(age: number): string {
  const minutes = Math.floor(age / MINUTE);
  if (minutes === 0) return say('just now');
  const words = new Intl.RelativeTimeFormat(document.documentElement.lang);
  return minutes < 60 ? words.format(-minutes, 'minute') : words.format(-Math.floor(minutes / 60), 'hour');
}

showLocalTimes();
setInterval(showLocalTimes, MINUTE);

/** Offers to select all or none of a form's boxes, and counts them. */
function offerSelectingAll(form: HTMLFormElement): void {
  const button = form.querySelector<HTMLButtonElement>('[data-select-all]');
  const number = form.querySelector<HTMLElement>('[data-selected]');
  const boxes = [...form.querySelectorAll<HTMLInputElement>('input[type="checkbox"]')];
  if (!button || !number) return;
  button.addEventListener('click', () => {
    const isOn = !boxes.every((box) => box.checked);
    for (const box of boxes) box.checked = isOn;
    tell();
  });
  form.addEventListener('change', tell);
  form.addEventListener('keydown', pressOwnButton);
  tell();

  function tell(): void {
    const selected = boxes.filter((box) => box.checked).length;
    button!.textContent = selected === boxes.length ? say('Select none') : say('Select all on this page');
    number!.textContent = say('{0} selected', count(selected));
  }
}

/** Lets the cards of a set be dragged to the places of others. The form tells the server. */
function offerMoving(form: HTMLFormElement): void {
  let dragged: string | undefined;
  for (const box of form.querySelectorAll<HTMLInputElement>('input[name="skin"]')) {
    const item = box.closest('li')!;
    for (const part of item.querySelectorAll<HTMLElement>('a, img')) part.draggable = false;
    item.draggable = true;
    item.addEventListener('dragstart', () => {
      dragged = box.value;
    });
    item.addEventListener('dragover', (event) => event.preventDefault());
    item.addEventListener('drop', (event) => {
      event.preventDefault();
      if (dragged === undefined || dragged === box.value) return;
      form.append(element('input', { type: 'hidden', name: 'move', value: `${dragged} ${box.value}` }));
      form.requestSubmit();
    });
  }
}

/** Enter presses the button beside the field, not the form's first one; on the box of a skin, none. */
function pressOwnButton(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || event.isComposing || !(event.target instanceof HTMLInputElement)) return;
  event.preventDefault();
  event.target.closest('.row')?.querySelector('button')?.click();
}

/** Seconds. */
const YEAR = 365 * 24 * 3600;

/** Remembers what a visitor uses skins for, in the cookie that the page names. */
function rememberUse(panel: HTMLElement): void {
  const name = panel.dataset['remember'] ?? '';
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  panel.addEventListener('change', () => {
    const group = panel.querySelector<HTMLInputElement>('input[name="for"]:checked')?.value ?? '';
    const use = panel.querySelector<HTMLInputElement>(`input[name="${CSS.escape(group)}"]:checked`)?.value;
    // biome-ignore lint/suspicious/noDocumentCookie: the other API is for secure pages alone
    document.cookie = `${name}=${use ?? group}; Path=/; Max-Age=${YEAR}; SameSite=Lax${secure}`;
  });
}
