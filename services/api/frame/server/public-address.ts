/** Where people reach the API, as far as the configuration says so: behind a proxy it cannot know that. */
export interface PublicAddress {
  /** Such as `https://muster.example.com`. */
  origin: string;
  /** Below which everything is: empty, or such as `/muster`. */
  basePath: string;
}

const pathPattern = /^(\/[A-Za-z0-9._~-]+)*$/;

/** Undefined when it is no address of ours: http or https, a path of plain parts, and nothing else. */
export function publicAddressOf(text: string): PublicAddress | undefined {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  const basePath = url.pathname.replace(/\/+$/, '');
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain && pathPattern.test(basePath) ? { origin: url.origin, basePath } : undefined;
}

/** Takes the base path off, where it is: whether a proxy does so or leaves it is all the same. */
export function pathBelow(basePath: string, url: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}
