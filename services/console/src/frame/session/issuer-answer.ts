export type IssuerAnswer = { kind: 'code'; code: string; state: string } | { kind: 'refused'; error: string };

/**
 * Reads an issuer's answer, and removes it from the address and the history: a code is valid once, and only for this
 * browser. Runs before the router reads the address. Undefined if the address has no answer.
 */
export function takeIssuerAnswer(): IssuerAnswer | undefined {
  if (!location.pathname.endsWith('/log-in')) return undefined;
  const answer = parseIssuerAnswer(new URLSearchParams(location.search));
  if (answer) history.replaceState(history.state, '', location.pathname);
  return answer;
}

function parseIssuerAnswer(parameters: URLSearchParams): IssuerAnswer | undefined {
  const [code, state, error] = [parameters.get('code'), parameters.get('state'), parameters.get('error')];
  if (state === null) return undefined;
  if (code !== null) return { kind: 'code', code, state };
  // Anyone can craft an address, so the error's description is not shown.
  return error === null ? undefined : { kind: 'refused', error: /^[a-z_]{1,60}$/.test(error) ? error : 'unknown' };
}
