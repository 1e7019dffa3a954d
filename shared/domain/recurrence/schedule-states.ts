/**
 * States of a schedule, and the actor of each transition.
 *
 * - `active`: the schedule fires. The scheduler changes it to `ended` when no instant is left.
 * - `paused`: a person stopped the schedule temporarily; its waiting callbacks continue. A campaign's run is paused
 *   with its schedule. Instants in the meantime are recorded as skipped when the schedule is resumed.
 * - `disabled`: a person switched the schedule off. A campaign's run is cancelled with it. Instants in the meantime are
 *   recorded as skipped when the schedule is enabled.
 * - `broken`: the scheduler cannot read or plan the schedule; the state's reason is the cause. The scheduler retries
 *   every minute, and the schedule is `active` once it is readable; instants in the meantime are missed. A change of
 *   its definition has the same effect.
 * - `ended`: no instant is left. Once enabled, the schedule fires if its definition has been changed so that instants
 *   follow.
 */
export const scheduleStates = ['active', 'paused', 'disabled', 'broken', 'ended'] as const;

export type ScheduleState = (typeof scheduleStates)[number];

export const scheduleVerbs = ['pause', 'resume', 'disable', 'enable'] as const;

export type ScheduleVerb = (typeof scheduleVerbs)[number];

/**
 * Effect of a verb on a schedule. `stays` means that the schedule is already in the state that the verb leads to, which
 * is no error.
 */
export type ScheduleMove =
  { kind: 'move'; to: ScheduleState } | { kind: 'stays' } | { kind: 'forbidden'; allowed: readonly ScheduleState[] };

const table: Record<ScheduleVerb, { from: readonly ScheduleState[]; to: ScheduleState }> = {
  pause: { from: ['active'], to: 'paused' },
  resume: { from: ['paused'], to: 'active' },
  disable: { from: ['active', 'paused', 'broken', 'ended'], to: 'disabled' },
  enable: { from: ['disabled', 'ended'], to: 'active' },
};

export function scheduleMoveOf(verb: ScheduleVerb, state: ScheduleState): ScheduleMove {
  const { from, to } = table[verb];
  if (state === to) return { kind: 'stays' };
  return from.includes(state) ? { kind: 'move', to } : { kind: 'forbidden', allowed: [...from, to] };
}
