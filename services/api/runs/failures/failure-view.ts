import type { UserFailureShape } from '../../../../shared/contracts/runs/runs.ts';
import type { RecordedFailure } from '../run-reports.port.ts';

export function failureView({ user, failedAt, ...failure }: RecordedFailure): UserFailureShape {
  return { userId: user, ...failure, failedAt: failedAt.toISOString() };
}
