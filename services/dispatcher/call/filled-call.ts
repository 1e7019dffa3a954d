import type { CallTemplate } from '../../../shared/contracts/jobs/call-terms.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { fillHeader, fillTemplate, type TemplateValues } from '../../../shared/domain/job/call-template.ts';
import type { OpenedCall } from './call-opener.ts';
import type { HeldJob } from '../jobs/held-job.ts';
import { secretsIn } from './without-secrets.ts';

type FilledJob = Pick<HeldJob, 'jobId' | 'attempt' | 'epoch' | 'scheduledForMs' | 'body'>;

/** The number of this call: the owners before may have called, under this id. */
export function attemptOf({ attempt, epoch }: Pick<HeldJob, 'attempt' | 'epoch'>): number {
  return attempt + epoch - 1;
}

/** What a job sends, with its names filled in where it is a template. From call to call only the attempt differs. */
export function filledCall<Unsent extends { kind: 'unsent' }>(
  opened: OpenedCall | Unsent,
  job: FilledJob,
  template: CallTemplate | undefined,
): OpenedCall | Unsent {
  if (template === undefined || opened.kind === 'unsent') return opened;
  const values: TemplateValues = {
    scheduledFor: new Date(job.scheduledForMs).toISOString(),
    ...template.values,
    ...{ jobId: publicId('job', job.jobId), attempt: String(attemptOf(job)) },
  };
  const headers = opened.headers.map((text, place) => (place % 2 === 0 ? text : fillHeader(text, values)));
  const secrets = [...opened.secrets, ...secretsIn(headers)];
  const body = job.body === null ? {} : { body: fillTemplate(job.body, values, template.form) };
  return { ...opened, headers, secrets, ...body };
}
