import { reasons } from '../../../shared/domain/step/reasons.ts';
import type { AttemptNote, ChildBatch, StepResult, ReportedUsers } from '../../../shared/ports/step-ledger.ts';
import type { FinalReading, ReportedReading } from '../endpoint/read-answer.ts';

interface WholeReading {
  kind: 'refused' | 'misconfigured' | 'not-applied' | 'ambiguous';
  cause: string;
}

/**
 * Adds to a result what its call was answered, where outcome and failures alone do not tell it. Of the usual answer
 * nothing is kept.
 */
export function noteAttempt(result: StepResult, reading: FinalReading | WholeReading): void {
  const children = result.state === 'done' ? result.children : null;
  if (children?.length === 0) return;
  result.note = reading.kind === 'reported' ? noteOfUsers(reading, children) : noteOfWhole(reading);
}

function noteOfWhole({ kind, cause }: WholeReading): AttemptNote {
  return { reading: kind, cause, users: [] };
}

/** @param children null where all of the batch is put back: no user was spoken of */
function noteOfUsers({ failed, missing }: ReportedReading, children: readonly ChildBatch[] | null): AttemptNote {
  if (!children) return { reading: 'missing', cause: null, users: [] };
  const goingOn = new Set(children.flatMap(({ users }) => users));
  const reported = [
    ...failed.map(({ id, code, detail }) => ({ id, code, detail })),
    ...missing.map((id) => ({ id, code: reasons.noResult, detail: null })),
  ].filter(({ id }) => goingOn.has(id));
  const groups = Map.groupBy(reported, ({ code, detail }) => JSON.stringify([code, detail]));
  const users = [...groups.values()].flatMap((group): ReportedUsers[] => {
    const [first] = group;
    return first ? [{ code: first.code, detail: first.detail, users: group.map(({ id }) => id) }] : [];
  });
  return { reading: 'reported', cause: null, users };
}
