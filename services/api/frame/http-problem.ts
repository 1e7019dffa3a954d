import { STATUS_CODES } from 'node:http';
import type { Role } from '../../../shared/domain/roles.ts';
import { escapedText } from '../../../shared/domain/ids/stored-text.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import type { Problem } from './problems.contract.ts';

/** Maximum number of problems in a response, so that a request with many problems does not cause a huge response. */
const maxFieldProblems = 100;

export interface HttpProblemFacts {
  status: number;
  code: string;
  detail: string;
  errors?: readonly FieldProblem[];
  headers?: Readonly<Record<string, string>>;
  /** Role that the request requires; present only in responses with status 403. */
  requiredRole?: Role;
}

/** Error of a handler that is sent as `application/problem+json`. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly code: string;
  readonly errors: readonly FieldProblem[];
  readonly headers: Readonly<Record<string, string>>;
  readonly requiredRole: Role | undefined;

  constructor({ status, code, detail, errors = [], headers = {}, requiredRole }: HttpProblemFacts) {
    super(detail);
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.headers = headers;
    this.requiredRole = requiredRole;
  }
}

/**
 * Returns a problem with status 422 that lists the problems of a request.
 * @param unlisted number of further problems that are not listed
 */
export function invalidRequest(errors: readonly FieldProblem[], unlisted = 0): HttpProblem {
  const listed = errors.slice(0, maxFieldProblems);
  const more = errors.length - listed.length + unlisted;
  const detail = more === 0 ? 'the request has problems' : `the request has problems, and ${more} more than are listed`;
  return new HttpProblem({ status: 422, code: 'invalid-request', detail, errors: listed });
}

export function notFound(noun: string, id: string): HttpProblem {
  return new HttpProblem({ status: 404, code: `${noun}-not-found`, detail: `there is no ${noun} ${quoted(id)}` });
}

/**
 * Returns the body of a problem response.
 * @param traceId id of the trace to which the request belongs
 */
export function problemBody(problem: HttpProblem, requestId: string, traceId?: string): Problem {
  const { status, code, message, errors, requiredRole } = problem;
  const title = STATUS_CODES[status] ?? 'Error';
  const type = `urn:muster:problem:${code}`;
  const body = { type, title, status, detail: message, code, errors: [...errors], requestId };
  return {
    ...body,
    ...(traceId !== undefined && { traceId }),
    ...(requiredRole !== undefined && { requiredRole }),
  };
}

export function forbiddenAddress(pointer: string, url: unknown, cause: string): FieldProblem {
  return { pointer, code: 'forbidden-address', detail: `${quoted(url)} may not be called: ${cause}` };
}

const maxQuotedLength = 80;

/** Returns a value as JSON for a message, cut to a readable length. */
export function quoted(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
  }
  const json: unknown = JSON.stringify(value);
  // Functions and symbols have no JSON form.
  const text =
    typeof value === 'string'
      ? escapedText(value.slice(0, maxQuotedLength + 1))
      : typeof json === 'string'
        ? json
        : 'null';
  return text.length <= maxQuotedLength + 2 ? text : `${text.slice(0, maxQuotedLength)}…`;
}

export function stateForbids(detail: string): HttpProblem {
  return new HttpProblem({ status: 409, code: 'state-forbids', detail });
}
