import { hash } from 'node:crypto';

/**
 * Returns the same text for equal values: keys sorted by code units, without undefined fields. Lists keep their order.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (isPlain(inner) ? sorted(inner) : inner));
}

export function canonicalHash(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex');
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Builds the object from entries instead of assignments, so that `__proto__` is a key like any other. */
function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
