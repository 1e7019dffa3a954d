import { z } from 'zod';

/** As the API describes what it refuses (RFC 9457), and what stands between may describe as well. */
export const problem = z.object({
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  code: z.string().optional(),
  errors: z
    .array(z.object({ pointer: z.string(), code: z.string().optional(), detail: z.string().optional() }))
    .default([]),
  requestId: z.string().optional(),
});

export type Problem = z.infer<typeof problem>;

/** How a refusal is shown to people, who typed a command and not a body. */
export interface RefusalWording {
  /** Such as `not created`. */
  outcome?: string | undefined;
  /** Where a pointer into the body came from. */
  labelOf?: ((pointer: string) => string) | undefined;
}

/** The API answered and said no. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly problem: Problem;
  readonly wording: RefusalWording;

  constructor(refused: Problem, wording: RefusalWording = {}) {
    super(refused.detail ?? refused.title);
    this.problem = refused;
    this.wording = wording;
  }
}

/** The API did not answer, or not as the API would: asking again may help. */
export class ApiUnavailable extends Error {
  override readonly name = 'ApiUnavailable';
}
