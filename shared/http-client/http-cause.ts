/** Why no connection was made, where it matters to who called. */
export const connectCauses = {
  noSuchName: 'host name not found',
  noLookup: 'host name cannot be looked up now',
  forbidden: 'address that may not be called',
} as const;

/**
 * What people read in place of the codes of Node.js and undici. None of them names an address: it may hold what is
 * secret.
 */
const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed while sending',
  ENOTFOUND: connectCauses.noSuchName,
  EAI_AGAIN: connectCauses.noLookup,
  EHOSTUNREACH: 'host not reachable',
  ENETUNREACH: 'network not reachable',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'connection closed before the answer was whole',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer of another length than it said',
  MUSTER_FORBIDDEN_ADDRESS: connectCauses.forbidden,
  CERT_HAS_EXPIRED: 'TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'TLS certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS certificate is for another host',
};

export function causeOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = causes[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'answer that is no HTTP';
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO') return `TLS failed (${code})`;
  if (code !== '') return `call failed (${code})`;
  return /tls|ssl/i.test(error.message) ? 'TLS failed' : 'call failed';
}
