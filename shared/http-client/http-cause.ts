/** Causes of a failed connection that callers distinguish. */
export const connectCauses = {
  noSuchName: 'host name not found',
  noLookup: 'host name cannot be looked up now',
  forbidden: 'address that may not be called',
} as const;

const notWhole = 'connection closed before the answer was whole';

/** Causes shown to people in place of error codes. None names an address, which may contain a secret. */
const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNABORTED: 'connection reset',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed while sending',
  ENOTFOUND: connectCauses.noSuchName,
  EAI_AGAIN: connectCauses.noLookup,
  EHOSTUNREACH: 'host not reachable',
  ENETUNREACH: 'network not reachable',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: notWhole,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer shorter than its Content-Length',
  UND_ERR_HEADERS_OVERFLOW: 'answer with headers that are too long',
  MUSTER_FORBIDDEN_ADDRESS: connectCauses.forbidden,
  CERT_HAS_EXPIRED: 'TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'TLS certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS certificate is for another host',
};

/** @param isAnswerBegun true if the status and all headers of the answer were read */
export function causeOf(error: Error, isAnswerBegun = false): string {
  // The errors of undici's parser have no code of their own, only a name.
  if (error.name === 'HTTPParserError') return parserCause(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // undici reports every fault in the headers after a Content-Length as a body of another length.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !isAnswerBegun) return brokenHttp('headers');
  if (code === 'UND_ERR_SOCKET' && error.message === 'bad upgrade') return brokenHttp('101 without a request for it');
  const known = causes[code];
  if (known !== undefined) return known;
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO') return `TLS failed (${code})`;
  if (code !== '') return `call failed (${code})`;
  return /tls|ssl/i.test(error.message) ? 'TLS failed' : 'call failed';
}

/** Error codes of a connection that was reset or closed, by the operating system and by undici. */
const lostConnection: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET']);

export function isLostConnection(error: Error): boolean {
  return 'code' in error && lostConnection.has(error.code);
}

function brokenHttp(fault: string): string {
  return `answer that breaks HTTP/1.1 (${fault})`;
}

/** Returns the cause in parentheses at the end of the message; `data` is what the parser did not expect. */
function parserCause(error: Error): string {
  const reason = /\(([^()]+)\)$/.exec(error.message)?.[1] ?? 'no reason is known';
  if (reason === 'Invalid EOF state') return notWhole;
  if (!reason.startsWith('Expected HTTP/')) return brokenHttp(reason);
  const protocol = protocolOf('data' in error && typeof error.data === 'string' ? error.data : '');
  return protocol === undefined ? 'answer that is not HTTP' : `answer that is not HTTP/1.1 but ${protocol}`;
}

/** Recognizes a protocol by the first bytes that its servers send. */
function protocolOf(data: string): string | undefined {
  if (data.startsWith('SSH-')) return 'SSH';
  // A TLS alert.
  if (data.startsWith('\x15\x03')) return 'TLS, so the URL may have to begin with https://';
  // A SETTINGS frame (type 4) with a length of less than 256 bytes.
  if (data.startsWith('\0\0') && data.charAt(3) === '\x04') return 'HTTP/2';
  return undefined;
}
