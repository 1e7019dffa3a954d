import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { packedBody, type PackedBody } from '../frame/server/packed-body.ts';

/** A file that browsers load, as it was built. */
export interface ConsoleFile extends PackedBody {
  /** Such as `/assets/main-8f3a.js`. */
  path: string;
  type: string;
  /** Its name changes with what is in it. */
  isImmutable: boolean;
}

/** The console as it was built, in memory: a few MiB, and no path that is asked for ever reaches a disk. */
export interface ConsolePages {
  readonly files: readonly ConsoleFile[];
  /**
   * The one page, which shows every view.
   * @param basePath below which everything is; empty, or such as `/muster`
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

/** The policy of the page: our own scripts, styles and API, and nothing else. */
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
  "frame-ancestors 'none'",
].join('; ');

/**
 * @param folder with `index.html` and `assets/`
 * @returns undefined where nothing was built
 * @throws when the page lacks the mark that the path goes into
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
