import { describe, expect, it } from 'vitest';
import { causeOf } from './http-cause.ts';

function errorOf(code: string | undefined): Error {
  const error = new Error('connect to https://user:secret@rewards.example:8443/v1?token=abc');
  return code === undefined ? error : Object.assign(error, { code });
}

describe('the cause of a call without an answer', () => {
  it.each([
    ['ECONNREFUSED', 'connection refused'],
    ['ECONNRESET', 'connection reset'],
    ['ENOTFOUND', 'host name not found'],
    ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
    ['CERT_HAS_EXPIRED', 'TLS certificate has expired'],
    ['HPE_INVALID_CONSTANT', 'answer that is no HTTP'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS failed (ERR_SSL_WRONG_VERSION_NUMBER)'],
    ['EWHATEVER', 'call failed (EWHATEVER)'],
    [undefined, 'call failed'],
  ])('%s reads: %s, without an address', (code, cause) => {
    expect(causeOf(errorOf(code))).toBe(cause);
  });
});
