import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import PostalMime, { type Email } from 'postal-mime';
import { z } from 'zod';
import { listPage, mailPage, messagePage, type ListedMail } from './inbox-pages.ts';
import type { KeptMail, MailFile } from './mail-file.ts';

/** Pages load nothing from elsewhere and run no script. Only the mail itself is in a frame. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
/**
 * The HTML of a mail is not trusted: it may run no script, submit no form and load no resource from elsewhere, and has
 * an origin of its own.
 */
const mailPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

const mailsPerPage = 50;
const html = 'text/html; charset=utf-8';
const plain = 'text/plain; charset=utf-8';

interface Answer {
  status: number;
  type: string;
  policy: string;
  body: string | Buffer;
}

/**
 * Serves the mails on 127.0.0.1: a list, pages of single mails, and the list as JSON (`/mails.json`).
 *
 * @param port 0 takes a free one
 */
export async function startInboxServer(
  port: number,
  mails: MailFile,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => void respond(request, response, mails));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = z.object({ port: z.number() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(request: IncomingMessage, response: ServerResponse, mails: MailFile): Promise<void> {
  const { status, type, policy, body } = await answerTo(request, mails).catch((error: unknown): Answer => ({
    status: 500,
    type: plain,
    policy: mailPolicy,
    body: String(error),
  }));
  response
    .writeHead(status, {
      'content-type': type,
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    .end(body);
}

async function answerTo({ method = '', url = '' }: IncomingMessage, mails: MailFile): Promise<Answer> {
  const { pathname, searchParams } = new URL(url, 'http://inbox');
  if (method !== 'GET' && method !== 'HEAD') return note(405, 'Mails can only be read here.');
  if (pathname === '/' || pathname === '/mails.json') return await list(pathname, searchParams, mails);
  const [, number = '', part = ''] = /^\/mails\/(\d{1,9})(?:\/(html|source))?$/.exec(pathname) ?? [];
  const message = await mails.read(Number(number));
  if (!message) return note(404, 'There is no such page, or no such mail.');
  if (part === 'source') return { status: 200, type: plain, policy: mailPolicy, body: message };
  const mail = await PostalMime.parse(message);
  if (part === 'html') return { status: 200, type: html, policy: mailPolicy, body: mail.html ?? '' };
  return { status: 200, type: html, policy: pagePolicy, body: mailPage(Number(number), fieldsOf(mail)) };
}

async function list(pathname: string, parameters: URLSearchParams, mails: MailFile): Promise<Answer> {
  const text = parameters.get('to') ?? '';
  const found = mails.find(text);
  const pages = Math.max(1, Math.ceil(found.length / mailsPerPage));
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(parameters.get('page'))) || 1));
  const onPage = found.slice((page - 1) * mailsPerPage, page * mailsPerPage);
  const listed = await Promise.all(onPage.map((mail) => withSubject(mail, mails)));
  if (pathname === '/mails.json') {
    const body = JSON.stringify({ total: found.length, mails: listed });
    return { status: 200, type: 'application/json', policy: mailPolicy, body };
  }
  const body = listPage({ text, total: found.length, page, pages, mails: listed });
  return { status: 200, type: html, policy: pagePolicy, body };
}

async function withSubject(mail: KeptMail, mails: MailFile): Promise<ListedMail> {
  const message = await mails.read(mail.number);
  // A mail that cannot be parsed must not hide the other mails.
  const { subject = '' } = await PostalMime.parse(message ?? '').catch(() => ({ subject: '(not readable)' }));
  return { ...mail, subject };
}

function fieldsOf({ headers, html: content, text, subject = '' }: Email) {
  const valueOf = (key: string) => headers.find((header) => header.key === key)?.value ?? '';
  return {
    subject,
    from: valueOf('from'),
    to: valueOf('to'),
    date: valueOf('date'),
    id: valueOf('message-id'),
    hasHtml: content !== undefined,
    text,
  };
}

function note(status: number, text: string): Answer {
  return { status, type: html, policy: pagePolicy, body: messagePage(text) };
}
