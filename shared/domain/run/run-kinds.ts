/**
 * Kinds of runs. `live`: a regular run of a campaign. `test`: a run for a few named users who check what they receive.
 * `dry-run`: a run of the whole audience without calls, to forecast a run. Figures of the campaign exclude both `test`
 * and `dry-run`.
 */
export const runKinds = ['live', 'test', 'dry-run'] as const;

export type RunKind = (typeof runKinds)[number];

/** Modes of a step: its users really receive it, or its endpoint is notified that this is a test (`Muster-Mode`). */
export const stepModes = ['live', 'test'] as const;

export type StepMode = (typeof stepModes)[number];

/**
 * Returns the mode of a step.
 * @param step from 1
 */
export function modeOfStep(modes: readonly StepMode[] | null, step: number): StepMode {
  return modes?.[step - 1] ?? 'live';
}
