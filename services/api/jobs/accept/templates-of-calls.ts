import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import type { CallTemplate } from '../../../../shared/contracts/jobs/call-terms.ts';
import { jobLimits, type NewJob } from '../../../../shared/contracts/jobs/jobs.ts';
import {
  longestBytes,
  templateProblems,
  type TemplateForm,
  type TemplateValues,
} from '../../../../shared/domain/job/call-template.ts';
import { invalidRequest } from '../../frame/http-problem.ts';
import { pointerOf } from '../../frame/server/json-pointer.ts';
import { headersOf } from './headers-of.ts';
import type { RequestedJob } from './read-plain-job.ts';

/**
 * Returns the template of a job.
 * @throws {HttpProblem} 422 if its call could not be filled from the template
 */
export function templateOfJob({ headers, body, idempotencyKey, orderingKey }: RequestedJob): CallTemplate {
  const values: TemplateValues = {
    ...(idempotencyKey !== undefined && { key: idempotencyKey }),
    ...(orderingKey !== undefined && { orderingKey }),
  };
  return { form: checkedForm({ headers, body, values, without: withoutOfJobs, path: [] }), values };
}

const ofSchedules = 'the name is only for schedules';
const withoutOfJobs = {
  key: 'the job has no idempotencyKey',
  orderingKey: 'the job has no orderingKey',
  scheduleId: ofSchedules,
  group: ofSchedules,
  localTime: ofSchedules,
};

/**
 * Returns the template of a schedule.
 * @throws {HttpProblem} 422 if a fire could not be filled from the template
 */
export function templateFormOfSchedule(
  target: Pick<RequestedJob, 'headers' | 'body'>,
  hasGroups: boolean,
): TemplateForm {
  const values = hasGroups ? { ...longestOfFires, group: 'x'.repeat(63) } : longestOfFires;
  return checkedForm({ ...target, values, without: withoutOfSchedules, path: ['target'] });
}

/** Longest values that a fire can have. With them, the check finds templates that could become too long when filled. */
const longestOfFires: TemplateValues = {
  key: 'x'.repeat(160),
  scheduleId: 'x'.repeat(30),
  localTime: 'x'.repeat(19),
};
const withoutOfSchedules = {
  group: 'the schedule has no groups',
  orderingKey: 'the jobs of a schedule have none',
};

interface CallToCheck {
  headers?: NewJob['headers'];
  body: RequestedJob['body'];
  values: TemplateValues;
  without: TemplateValues;
  /** Prefix of the JSON pointers in problems of this call. */
  path: readonly string[];
}

/** Checks the headers and the body, and reports all their problems together. */
function checkedForm({ headers = {}, body, values, without, path }: CallToCheck): TemplateForm {
  const form = formOf(headersOf(headers, body));
  const known = { values, without };
  const ofHeaders = Object.entries(headers).flatMap(([name, text]) =>
    templateProblems({ text, form: 'text', ...known, maxBytes: jobLimits.headerBytes }).map(
      at([...path, 'headers', name]),
    ),
  );
  const text = body?.text ?? '';
  const ofBody =
    body === null
      ? []
      : templateProblems({ text, form, ...known, maxBytes: jobLimits.bodyBytes }).map(at([...path, 'body']));
  const problems = [...ofHeaders, ...ofBody];
  const bytes = Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + longestBytes(value, values, 'text'),
    0,
  );
  if (problems.length === 0 && bytes > jobLimits.headerBytes) {
    const detail = `may have ${bytes} bytes together once they are filled, at most ${jobLimits.headerBytes} are sent`;
    problems.push({ pointer: pointerOf([...path, 'headers']), code: 'too-long', detail });
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return form;
}

function at(path: readonly string[]) {
  return ({ code, detail }: Omit<FieldProblem, 'pointer'>): FieldProblem => ({
    pointer: pointerOf(path),
    code,
    detail,
  });
}

/**
 * Returns the form of a template.
 * @param headers headers in their stored form, which includes the content type
 */
function formOf(headers: string | null): TemplateForm {
  return headers !== null && /"content-type":"[^"]*[/+]json\b/i.test(headers) ? 'json' : 'text';
}
