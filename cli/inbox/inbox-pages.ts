import { escapeHtml } from '../../shared/domain/escape-html.ts';
import { count } from '../show/numbers.ts';
import type { KeptMail } from './mail-file.ts';
import { inboxStyle } from './inbox-style.ts';

export interface ListedMail extends KeptMail {
  subject: string;
}

export interface MailList {
  /** Text that the recipient must contain; empty for all mails. */
  text: string;
  /** Number of found mails on all pages. */
  total: number;
  page: number;
  pages: number;
  mails: readonly ListedMail[];
}

export interface MailFields {
  subject: string;
  from: string;
  to: string;
  date: string;
  id: string;
  hasHtml: boolean;
  text: string | undefined;
}

export function listPage({ text, total, page, pages, mails }: MailList): string {
  const title = `${count(total)} ${total === 1 ? 'mail' : 'mails'}`;
  const rows = mails.map(
    ({ number, recipient, subject, arrivedAt }) =>
      `<li><a href="/mails/${number}"><b>${escapeHtml(subject || '(no subject)')}</b><span>${escapeHtml(recipient)}</span>` +
      `<time>${arrivedAt.toISOString().slice(11, 19)} UTC</time></a></li>`,
  );
  const link = (to: number, words: string) =>
    to < 1 || to > pages
      ? `<span class="quiet">${words}</span>`
      : `<a href="/?to=${encodeURIComponent(text)}&amp;page=${to}">${words}</a>`;
  const listed = mails.length === 0 ? '<p class="none">No mails.</p>' : `<ol>${rows.join('')}</ol>`;
  return html(
    title,
    `<header><h1>Inbox</h1><span>${title}${text === '' ? '' : ` to “${escapeHtml(text)}”`}</span>
<form><label>Recipient <input name="to" value="${escapeHtml(text)}"></label><button>Find</button></form></header>
<main>${listed}</main>
<footer>${link(page - 1, 'Newer')}<span>Page ${count(page)} of ${count(pages)}</span>${link(page + 1, 'Older')}</footer>`,
  );
}

export function mailPage(number: number, mail: MailFields): string {
  const fields = [
    ['From', mail.from],
    ['To', mail.to],
    ['Date', mail.date],
    ['Message-ID', mail.id],
  ].map(([name = '', value = '']) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`);
  const frame = `<section><h2>HTML</h2><iframe title="HTML of the mail" sandbox src="/mails/${number}/html"></iframe></section>`;
  const text =
    mail.text === undefined ? '' : `<section><h2>Text</h2><pre>${escapeHtml(mail.text.trim())}</pre></section>`;
  return html(
    mail.subject,
    `<header><a href="/">All mails</a><a href="/mails/${number}/source">Source</a></header>
<main><h1>${escapeHtml(mail.subject || '(no subject)')}</h1><dl>${fields.join('')}</dl>${mail.hasHtml ? frame : ''}${text}</main>`,
  );
}

export function messagePage(text: string): string {
  return html(text, `<header><a href="/">All mails</a></header><main><p class="none">${escapeHtml(text)}</p></main>`);
}

function html(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Inbox</title><style>${inboxStyle}</style></head><body>${body}</body></html>\n`;
}
