import type { UserExplanation } from '#client/types.gen.ts';

/** What became of one user in one run, as the API tells it. */
export type Explanation = UserExplanation;

export type ExplainedStep = Explanation['steps'][number];

export type Attempt = ExplainedStep['attempts'][number];

export type Place = Explanation['audience']['place'];
