import type { z } from 'zod';

export type JsonValue = z.core.util.JSONType;
export type JsonFields = Record<string, JsonValue>;

export function isFields(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
