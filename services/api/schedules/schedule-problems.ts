import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { ScheduleState, ScheduleVerb } from '../../../shared/domain/recurrence/schedule-states.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import type { ScheduleRecord } from './schedule-store.port.ts';

export function stateForbids(
  { scheduleId, state }: ScheduleRecord,
  verb: ScheduleVerb,
  allowed: readonly ScheduleState[],
): HttpProblem {
  const detail = `${publicId('schedule', scheduleId)} is ${state}; ${verb} requires a schedule that is ${allowed.join(' or ')}`;
  return new HttpProblem({ status: 409, code: 'state-forbids', detail });
}

/** Problem of a change while the scheduler still decides, by the current definition, about missed occurrences. */
export function stillDeciding(id: string): HttpProblem {
  const detail = `the scheduler is still deciding about missed occurrences of ${id}; try again in a moment`;
  return new HttpProblem({ status: 409, code: 'still-deciding', detail, headers: { 'retry-after': '1' } });
}
