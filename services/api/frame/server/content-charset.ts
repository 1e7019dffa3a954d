import { HttpProblem, quoted } from '../http-problem.ts';

const charsetParameter = /;\s*charset\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/gi;

/**
 * Requires UTF-8 if a body declares a charset. Names of charsets are case-insensitive, and a value may be quoted (RFC
 * 9110 section 8.3.2).
 * @throws {HttpProblem} 415 with the charset
 */
export function requireUtf8(contentType: string | undefined): void {
  for (const [, inQuotes, plain = ''] of contentType?.matchAll(charsetParameter) ?? []) {
    const charset = inQuotes?.replaceAll(/\\(.)/g, '$1') ?? plain;
    if (!/^utf-?8$/i.test(charset)) {
      const detail = `charset is ${quoted(charset)}, and has to be utf-8 or absent`;
      throw new HttpProblem({ status: 415, code: 'unsupported-charset', detail });
    }
  }
}
