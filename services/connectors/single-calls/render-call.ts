import { createHash } from 'node:crypto';
import type { ResultScope } from '../store/result-store.port.ts';
import type { ApiRequest } from './api.port.ts';
import type { CallActionSettings } from './call-settings.ts';
import { fillBody, fillHeader, fillText, fillUrl, type CallValues, type UserValues } from './call-template.ts';

/** Renders the request for these users. @throws {MissingValueError} */
export function renderCall(settings: CallActionSettings, values: CallValues, users: readonly UserValues[]): ApiRequest {
  const shared = settings.usersPerCall === 1 ? { ...values, ...users[0] } : values;
  const { content } = settings;
  return {
    method: settings.method,
    path: fillUrl(settings.target, shared),
    headers: settings.headers.flatMap(([name, value]) => [name, fillHeader(value, shared)]),
    body: content && Buffer.from(contentOf(content, shared, users)),
  };
}

function contentOf(
  content: NonNullable<CallActionSettings['content']>,
  shared: object,
  users: readonly UserValues[],
): string {
  if (content.kind === 'json') return JSON.stringify(fillBody(content.body, shared, users));
  const fields = Object.entries(content.fields).map(([name, value]): [string, string] => [
    name,
    fillText(value, shared),
  ]);
  return new URLSearchParams(fields).toString();
}

/** Returns a UUID that identifies the call of a user in all its repeats, even in different batches. */
export function userKeyOf({ action, run, step }: ResultScope, user: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([action, run, step, user]))
    .digest('hex');
  // The UUID has the form of version 4, which some APIs check.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
