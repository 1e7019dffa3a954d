import type { Answer } from './http.ts';

/**
 * Names of segments with generated users, such as `user-000000042`, which are the same for each country. The name of a
 * segment is its size, with an optional fault in front: `stalled-1000` answers its pages with 503, `hanging-1000` never
 * answers its pages, and `undescribed-1000` does not even answer requests for its description.
 */
const namePattern = /^(?:(stalled|hanging|undescribed)-)?(\d+)$/;
const idPrefix = 'user-';
const digits = 9;
/** Highest number of users in a page. */
const maxLimit = 5000;

/** Cache of rendered pages, because the time to create a page is not measured. */
const pages = new Map<string, string>();

export function answerSegmentation(path: string): Answer | null {
  const url = new URL(path, 'http://stub');
  const [, , , name = '', users] = url.pathname.split('/');
  const [, fault, size = '0'] = namePattern.exec(name) ?? [];
  if (fault === 'undescribed') return null;
  if (users === undefined) return ok(describe(name, url, Number(size)));
  if (fault === 'hanging') return null;
  if (fault === 'stalled') return { status: 503, text: '{}', latencyMs: 0 };
  return ok(pageOf(url, Number(size)));
}

function ok(text: string): Answer {
  return { status: 200, text, latencyMs: 0 };
}

function describe(name: string, url: URL, size: number): string {
  return JSON.stringify({ id: name, country: url.searchParams.get('country'), estimate: size, snapshot: 's1' });
}

function pageOf(url: URL, size: number): string {
  const after = url.searchParams.get('after');
  const first = after === null ? 0 : Number(after.slice(idPrefix.length)) + 1;
  const count = Math.min(Number(url.searchParams.get('limit')), size - first);
  const isLast = first + count >= size;
  const key = `${first}+${count} ${isLast}`;
  let page = pages.get(key);
  if (page === undefined) {
    const users = Array.from({ length: count }, (_, i) => userId(first + i));
    page = JSON.stringify({ users, next: isLast ? null : (users.at(-1) ?? null), maxLimit });
    pages.set(key, page);
  }
  return page;
}

function userId(index: number): string {
  return `${idPrefix}${String(index).padStart(digits, '0')}`;
}
