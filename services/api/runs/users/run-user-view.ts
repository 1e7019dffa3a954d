import type { RunUser } from '../../../../shared/contracts/runs/run-users.ts';
import type { RunUserRow } from './postgres/run-users.ts';

export function runUserView({ user, shared }: RunUserRow): RunUser {
  const { country, variant, batchNo, steps, end, reason } = shared;
  return {
    userId: user,
    country,
    variant,
    batchNo,
    outcome: end.outcome,
    endedInStep: end.step,
    reason,
    steps: [...steps],
  };
}

export function runUserRow(row: RunUserRow): object {
  const { steps, ...rest } = runUserView(row);
  return { ...rest, ...Object.fromEntries(steps.map((outcome, index) => [`step${index + 1}`, outcome])) };
}
