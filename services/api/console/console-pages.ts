import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { packedBody, type PackedBody } from '../frame/server/packed-body.ts';

export interface ConsoleFile extends PackedBody {
  /** URL path, such as `/assets/main-8f3a.js`. */
  path: string;
  type: string;
  /** True if the file name contains a hash of the content, so that the content never changes. */
  isImmutable: boolean;
}

/** Files of the built console, in memory (a few MiB). Requested paths are looked up here and never on the disk. */
export interface ConsolePages {
  readonly files: readonly ConsoleFile[];
  /**
   * Returns the only page, which shows all views.
   * @param basePath prefix of all paths, such as `/muster`; may be empty
   */
  page(basePath: string): string;
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

const pageName = 'index.html';
const base = '<base href="/" />';

/** Content security policy of the page: it may load scripts and styles and call the API of its own origin only. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Page without content, in which the console displays the HTML of a message (parts/campaign/message-frame.tsx). Its
 * policy allows inline styles, because messages use them, but no scripts, no forms, and nothing from other addresses.
 */
export const messageFrame = {
  path: '/message-frame',
  body: '<!doctype html><html lang="en"><head><title>Message</title></head><body></body></html>',
  policy: [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-same-origin',
  ].join('; '),
} as const;

/**
 * Reads the built console.
 * @param folder folder that contains `index.html` and `assets/`
 * @returns undefined if the console was not built
 * @throws if the page lacks the placeholder for the base path
 */
export async function readConsolePages(folder: string): Promise<ConsolePages | undefined> {
  const template = await readFile(join(folder, pageName), 'utf8').catch(() => undefined);
  if (template === undefined) return undefined;
  if (!template.includes(base)) throw new Error(`the console's ${pageName} lacks ${base}`);
  const names = await readdir(folder, { recursive: true });
  const read = names.sort().flatMap((name) => {
    const type = types[extname(name)];
    return type === undefined ? [] : [readFile(join(folder, name)).then((body) => fileOf(name, type, body))];
  });
  return {
    files: await Promise.all(read),
    page: (basePath) => template.replace(base, `<base href="${basePath}/" />`),
  };
}

function fileOf(name: string, type: string, body: Buffer): ConsoleFile {
  const path = `/${name.replaceAll('\\', '/')}`;
  const isText = /^text\/|svg|json/.test(type);
  return { path, type, isImmutable: path.startsWith('/assets/'), ...packedBody(body, isText) };
}
