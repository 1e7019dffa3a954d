import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A file that browsers load, as it was built. */
export interface ConsoleFile {
  /** Such as `/assets/main-8f3a.js`. */
  path: string;
  type: string;
  etag: string;
  /** Its name changes with what is in it. */
  isImmutable: boolean;
  body: Buffer;
  /** Compressed when it is asked for first, and kept; the body itself for what does not get smaller. */
  encoded(encoding: ContentEncoding): Promise<Buffer>;
}

export type ContentEncoding = 'br' | 'gzip';

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

/** Good enough at once: better ones take seconds, and are then kept by browsers for ever. */
const brotliQuality = 7;
const compress = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
};

function fileOf(name: string, type: string, body: Buffer): ConsoleFile {
  const path = `/${name.replaceAll('\\', '/')}`;
  const kept = new Map<ContentEncoding, Promise<Buffer>>();
  const isText = /^text\/|svg|json/.test(type);
  return {
    ...{ path, type, body },
    etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"`,
    isImmutable: path.startsWith('/assets/'),
    encoded: (encoding) => {
      if (!isText) return Promise.resolve(body);
      const made = kept.get(encoding) ?? compress[encoding](body);
      kept.set(encoding, made);
      return made;
    },
  };
}
