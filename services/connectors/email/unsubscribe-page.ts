import { escapeHtml } from '../../../shared/domain/escape-html.ts';

/** Texts of the page that the unsubscribe link of a mail opens. */
export interface UnsubscribeTexts {
  question: string;
  button: string;
  done: string;
}

/**
 * Headers of the unsubscribe page. The page loads nothing and is not cached. Its address is a credential, so it is not
 * sent as a referrer.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
};

/** Returns the page that requests a confirmation. Mail scanners follow all links, and must not unsubscribe the user. */
export function questionPage({ question, button }: UnsubscribeTexts): string {
  return page(`<p>${escapeHtml(question)}</p><form method="post"><button>${escapeHtml(button)}</button></form>`);
}

export function donePage({ done }: UnsubscribeTexts): string {
  return page(`<p>${escapeHtml(done)}</p>`);
}

function page(body: string): string {
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title></title><style>body{font:1rem/1.5 sans-serif;margin:4rem auto;max-width:30rem;padding:0 1rem}</style></head><body>${body}</body></html>\n`;
}
