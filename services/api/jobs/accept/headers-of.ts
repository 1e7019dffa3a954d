import type { NewJob } from '../../../../shared/contracts/jobs/jobs.ts';
import type { RequestedJob } from './read-plain-job.ts';

const contentTypes = { json: 'application/json', text: 'text/plain; charset=utf-8' } as const;
const onlyType = {
  json: JSON.stringify({ 'content-type': contentTypes.json }),
  text: JSON.stringify({ 'content-type': contentTypes.text }),
} as const;

/** Returns headers as JSON with lower-case names. Adds the content type of the body if no header sets it. */
export function headersOf(headers: NewJob['headers'], body: RequestedJob['body']): string | null {
  const kind = body && (body.isJson ? 'json' : 'text');
  if (headers === undefined) return kind && onlyType[kind];
  const all = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (kind && !all.has('content-type')) all.set('content-type', contentTypes[kind]);
  return all.size === 0 ? null : JSON.stringify(Object.fromEntries(all));
}
