import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ShownHeaders } from '../../../shared/contracts/jobs/jobs.ts';
import { mayActAs } from '../../../shared/domain/roles.ts';
import { callerOf } from '../access/scopes.ts';

/** What every request says of itself. The value of any other header may be what opens the receiver. */
const harmless = new Set(['accept', 'accept-language', 'content-language', 'content-type', 'user-agent']);

const stored = z.record(z.string(), z.string());

/** @param headers JSON, as they were accepted */
export function shownHeaders(headers: string | null): ShownHeaders | null {
  if (headers === null) return null;
  const shown = Object.entries(stored.parse(JSON.parse(headers))).map(
    ([name, value]) => [name, harmless.has(name) ? value : ({ set: true, length: value.length } as const)] as const,
  );
  return Object.fromEntries(shown);
}

/** Whether a caller sees what is sent and answered. A viewer sees what becomes of jobs, not what is in them. */
export function seesContent(request: FastifyRequest): boolean {
  return mayActAs(callerOf(request).role, 'scheduler');
}
