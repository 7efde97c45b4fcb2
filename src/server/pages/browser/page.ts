/** The script of all pages, for what forms and links cannot do. */
import { offerCopying } from './copy.ts';
import { followJobs } from './job-list.ts';
import { followJob } from './jobs.ts';
import { followLogin } from './login.ts';
import { enhanceMakeForm } from './make.ts';
import { offerSelectingAll } from './select-all.ts';
import { offerViewer } from './viewer.ts';

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) offerCopying(button);
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-make="file"]'))
  enhanceMakeForm(form);
for (const stage of document.querySelectorAll<HTMLElement>('[data-viewer]')) offerViewer(stage);
for (const element of document.querySelectorAll<HTMLElement>('[data-job]')) void followJob(element);
for (const form of document.querySelectorAll<HTMLFormElement>('[data-select]')) offerSelectingAll(form);
for (const list of document.querySelectorAll<HTMLElement>('[data-jobs]')) followJobs(list);
for (const element of document.querySelectorAll<HTMLElement>('[data-login]')) void followLogin(element);
