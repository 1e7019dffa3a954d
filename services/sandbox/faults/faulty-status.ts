import type { StatusQuery } from '../../../shared/contracts/endpoints/batch-actions.ts';
import type { UserOutcome } from '../effects/effects.ts';
import type { StatusRule } from './fault-rules.ts';
import { compressed, mangled, pickUsers, resultsToTell } from './faulty-answer.ts';
import type { HttpAnswer } from '../wire/http-answer.ts';

export function faultyStatus(
  outcomes: readonly UserOutcome[],
  { users }: StatusQuery,
  fault: StatusRule['answer'],
): HttpAnswer {
  const answerOf = (results: readonly object[]): HttpAnswer => ({ status: 200, body: JSON.stringify({ results }) });
  const whole = answerOf(outcomes);
  switch (fault?.kind) {
    case undefined:
    case 'first-step':
      return whole;
    case 'status':
      return { status: fault.status, body: JSON.stringify({ code: 'fault', message: 'a fault that was switched on' }) };
    case 'hang':
      return { ...whole, delivery: { kind: 'none' } };
    case 'reset':
      return { ...whole, delivery: { kind: 'reset' } };
    case 'garbage':
      return { ...whole, body: '<html>it works</html>' };
    case 'oversize':
      return { ...whole, delivery: { kind: 'blanks', bytes: fault.bytes } };
    case 'drip':
      return { ...whole, delivery: { kind: 'drip', everyMs: fault.everyMs } };
    case 'compressed':
      return compressed(whole);
    case 'mangle-ids':
      return answerOf(mangled(outcomes));
    case 'omit-users': {
      const isPicked = pickUsers('omit', fault);
      const omitted = new Set(users.filter(isPicked));
      return answerOf(outcomes.filter(({ id }) => !omitted.has(id)));
    }
    case 'tell-users':
      return answerOf(resultsToTell(outcomes, fault));
  }
}
