import { decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { escapedText, isName } from '../../../../shared/domain/ids/stored-text.ts';

/**
 * Accepted algorithms, which are all asymmetric. With a symmetric one, an attacker could use the public key to sign
 * tokens; `none` needs no key at all.
 */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/**
 * Accepted values of the header `typ`: those of access tokens (RFC 9068) and ID tokens. Other tokens have other types,
 * such as `logout+jwt`.
 */
const types: ReadonlySet<unknown> = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);

/** Tolerance in seconds for a difference between the issuer's clock and ours. */
const toleranceSeconds = 30;

const longestToken = 8192;
/**
 * Subject as the specification requires it: a string. Numbers are refused, because JSON can write the same number in
 * several ways, and as text it could equal the subject of another person.
 */
const subjectShape = z.string().min(1).max(255);

/** A token is refused. The message is a sentence for the caller. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError';
}

export interface TokenTerms {
  issuer: string;
  audiences: readonly string[];
  keyOf: JWTVerifyGetKey;
  now: Date;
}

export type VerifiedClaims = JWTPayload & { sub: string; exp: number };

/**
 * Returns true if a text has the form of a JWT: a header that begins with `{"`, and two dots. No API key has this form.
 */
export function isToken(text: string): boolean {
  if (!text.startsWith('eyJ')) return false;
  const first = text.indexOf('.');
  const second = text.indexOf('.', first + 1);
  return first > 0 && second > 0 && !text.includes('.', second + 1);
}

/**
 * Returns the claims of a valid token.
 * @throws {TokenRefusedError} if the token is not valid; also throws the errors of the key resolver
 */
export async function verifyToken(token: string, terms: TokenTerms): Promise<VerifiedClaims> {
  const { issuer, audiences, keyOf, now } = terms;
  if (token.length > longestToken) throw new TokenRefusedError(`this token is longer than ${longestToken} characters`);
  // Issuer and expiry are checked before the signature, because the key may first have to be fetched.
  const { iss, exp: ends } = claimsIn(token);
  if (iss !== issuer) throw new TokenRefusedError('this token is of another issuer');
  if (ends !== undefined && (ends + toleranceSeconds) * 1000 <= now.getTime()) throw new TokenRefusedError(expired);
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keyOf, {
      issuer,
      audience: [...audiences],
      algorithms,
      clockTolerance: toleranceSeconds,
      requiredClaims: ['exp', 'sub'],
      currentDate: now,
    });
    if (!types.has(protectedHeader.typ?.toLowerCase())) throw new TokenRefusedError('this is a token of another kind');
    const { sub, exp } = payload;
    const subject = subjectShape.safeParse(sub).data;
    if (subject === undefined || exp === undefined) throw new TokenRefusedError(missingSubject);
    if (!isName(subject)) {
      throw new TokenRefusedError(
        `the sub of this token has characters that are not allowed in names: ${escapedText(subject)}`,
      );
    }
    return { ...payload, sub: subject, exp };
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new TokenRefusedError(sentenceOf(error), { cause: error });
    throw error;
  }
}

const expired = 'this token has expired';
const missingSubject = 'this token has no valid subject';

function claimsIn(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    throw new TokenRefusedError('this token is malformed');
  }
}

function sentenceOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return expired;
  if (error instanceof errors.JWTClaimValidationFailed)
    return claimSentences[error.claim] ?? `its ${error.claim} is wrong`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature of this token does not match';
  if (error instanceof errors.JWKSNoMatchingKey) return 'this token is signed with a key that its issuer does not have';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'this token is not signed with an asymmetric key';
  return 'this token is malformed';
}

const claimSentences: Readonly<Record<string, string>> = {
  aud: 'this token is for another audience',
  nbf: 'this token is not valid yet',
  exp: 'this token has no expiry',
  sub: missingSubject,
};
