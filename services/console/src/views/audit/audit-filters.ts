import type { AuditSearch } from './search.ts';

/** Kinds of changes, by the HTTP method that the API records. */
const methods = { made: 'POST', replaced: 'PUT', changed: 'PATCH', deleted: 'DELETE', exports: 'GET' } as const;

const hourMs = 3_600_000;
const spans = { 'last hour': hourMs, 'last day': 24 * hourMs, 'last week': 168 * hourMs, 'last month': 720 * hourMs };

export type AuditKind = keyof typeof methods;
export type AuditSpan = keyof typeof spans;

export const auditKinds: readonly AuditKind[] = ['made', 'replaced', 'changed', 'deleted', 'exports'];
export const auditSpans: readonly AuditSpan[] = ['last hour', 'last day', 'last week', 'last month'];

export function hasFilters({ subject, keyId, kind, span }: AuditSearch): boolean {
  return [subject, keyId, kind, span].some((each) => each !== undefined);
}

/** @param nowMs a whole minute, because another value would change the query and request the page again */
export function auditQuery({ subject, keyId, kind, span, cursor }: AuditSearch, nowMs: number) {
  return {
    ...(subject !== undefined && { subject }),
    ...(keyId !== undefined && { keyId }),
    ...(kind !== undefined && { method: methods[kind] }),
    ...(span !== undefined && { since: new Date(nowMs - spans[span]).toISOString() }),
    ...(cursor !== undefined && { cursor }),
  };
}

/** Describes the filters: `Of cmp_live, by mei, deleted, last week`. */
export function describeFilters({ subject, keyName, keyId, kind, span }: AuditSearch): string {
  const words = [
    subject === undefined ? '' : `of ${subject}`,
    keyId === undefined ? '' : `by ${keyName ?? keyId}`,
    kind ?? '',
    span ?? '',
  ].filter((each) => each !== '');
  const text = words.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
