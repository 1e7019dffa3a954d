import { logInSearch } from './search.ts';

/** What an issuer has sent the browser back with. */
export type ComeBack = { kind: 'code'; code: string; state: string } | { kind: 'refused'; error: string };

/**
 * Read before the router is there, and out of the address, and so out of the history, before anything else: a code is
 * good once, and for this browser alone. Undefined where the address holds none.
 */
export function takeComeBack(): ComeBack | undefined {
  if (!location.pathname.endsWith('/log-in')) return undefined;
  const said = new URLSearchParams(location.search);
  const comeBack = comeBackIn(said);
  if (comeBack) history.replaceState(history.state, '', location.pathname);
  return comeBack;
}

function comeBackIn(said: URLSearchParams): ComeBack | undefined {
  const [code, state, error] = [said.get('code'), said.get('state'), said.get('error')];
  if (state === null) return undefined;
  if (code !== null) return { kind: 'code', code, state };
  // What an issuer says beside it, whoever made the address says: it is not shown.
  return error === null ? undefined : { kind: 'refused', error: /^[a-z_]{1,60}$/.test(error) ? error : 'unknown' };
}

const toKey = 'muster.signed-in-to';

/** Where somebody wanted to go, while the browser is at the issuer. */
export function keepTo(to: string): void {
  sessionStorage.setItem(toKey, to);
}

export function takeTo(): string {
  const kept = sessionStorage.getItem(toKey) ?? undefined;
  sessionStorage.removeItem(toKey);
  return logInSearch.parse({ to: kept }).to ?? '/campaigns';
}
