import { WorkCalendarError } from '../../../shared/contracts/schedules/recurrences.ts';
import { invalidRequest, type HttpProblem } from '../frame/http-problem.ts';

export function workCalendarProblem(error: unknown): HttpProblem | undefined {
  if (!(error instanceof WorkCalendarError)) return undefined;
  return invalidRequest([{ pointer: '/workCalendar', code: error.code, detail: error.message }]);
}
