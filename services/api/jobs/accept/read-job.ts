import { z } from 'zod';
import { newJob, type NewJob } from '../../../../shared/contracts/jobs/jobs.ts';
import { checkShape } from '../../frame/server/check-shape.ts';
import { invalidRequest } from '../../frame/http-problem.ts';
import { readPlainJob, type RequestedJob } from './read-plain-job.ts';

const fields = z.record(z.string(), z.unknown());

/**
 * Parses a job.
 * @param client client of a job that states none
 * @throws {HttpProblem} 422
 */
export function readJob(value: unknown, client?: string): RequestedJob {
  const plain = readPlainJob(value, client);
  if (plain) return plain;
  const named = client === undefined ? value : { client, ...fields.safeParse(value).data };
  const checked = checkShape(newJob, named);
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  return { ...checked.value, body: bodyTextOf(checked.value.body) };
}

/** Returns a body in the form in which it is stored and later sent. */
export function bodyTextOf(body: NewJob['body']): RequestedJob['body'] {
  if (body === undefined) return null;
  return typeof body === 'string' ? { text: body, isJson: false } : { text: JSON.stringify(body), isJson: true };
}
