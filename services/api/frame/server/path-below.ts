/** Takes the base path off, where it is: whether a proxy does so or leaves it is all the same. */
export function pathBelow(basePath: string, url: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}
