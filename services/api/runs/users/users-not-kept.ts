import { HttpProblem } from '../../frame/http-problem.ts';

/** Error: the requested users were deleted after their retention, possibly while they were read. */
export class UsersNotKeptError extends Error {
  override readonly name = 'UsersNotKeptError';
}

/**
 * Runs a read, and converts the error for deleted users into a problem.
 * @throws {HttpProblem} 409
 */
export async function refusingNotKept<Result>(id: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof UsersNotKeptError)) throw error;
    const detail = `the users of ${id} are no longer stored; its report is`;
    throw new HttpProblem({ status: 409, code: 'users-not-kept', detail });
  }
}
