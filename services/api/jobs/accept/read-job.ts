import { z } from 'zod';
import { newJob, type NewJob } from '../../../../shared/contracts/jobs/jobs.ts';
import { checkShape } from '../../frame/server/check-shape.ts';
import { invalidRequest } from '../../frame/http-problem.ts';
import { readPlainJob, type RequestedJob } from './read-plain-job.ts';

const fields = z.record(z.string(), z.unknown());

/**
 * Parses a job.
 * @param client default for a job that names none
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

/** Returns a body in its stored form, which is also the form that is sent. */
export function bodyTextOf(body: NewJob['body']): RequestedJob['body'] {
  if (body === undefined) return null;
  return typeof body === 'string' ? { text: body, isJson: false } : { text: JSON.stringify(body), isJson: true };
}
