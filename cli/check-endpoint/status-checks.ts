import type { StatusAnswer, UserStatus } from '../../services/worker/endpoint/read-status.ts';
import type { Result, Results } from './answer-problems.ts';
import { broken, kept, type EndpointCheck, type Findings } from './endpoint-check.ts';
import type { EndpointPlayer } from './endpoint-player.ts';
import { someOf, usersInWords } from './words.ts';

const betweenQuestionsMs = 500;
const maxQuestions = 20;

/** Checks of class C: a repeat would have a second effect, so Muster relies on the status endpoint. */
export const statusChecks: readonly EndpointCheck[] = [
  {
    name: 'status-unsent',
    title: 'status: users that were never sent are "not-found"',
    classes: ['C'],
    play: async (player) => {
      const users = player.freshUsers(player.terms.batchSize);
      const answer = await player.askStatus(player.freshRun(), 1, users);
      return statusProblems(
        answer,
        users,
        'not-found',
        'Muster would believe that they were served, and nobody would serve them',
      );
    },
  },
  {
    name: 'status-served',
    title: 'status: users that were answered for have the result of that answer',
    classes: ['C'],
    play: async (player) => served(player, player.freshUsers(player.terms.batchSize)),
  },
  {
    name: 'status-odd-ids',
    title: 'status: odd user ids are found again',
    classes: ['C'],
    play: async (player) => served(player, player.oddUsers()),
  },
  {
    name: 'status-other-step',
    title: 'status: another step and another run have outcomes of their own',
    classes: ['C'],
    play: async (player) => {
      const users = player.freshUsers(2);
      const played = await player.call({ users });
      if (played.problems.length > 0) return broken(...played.problems);
      const because = 'outcomes belong to run, step and user together';
      const otherStep = statusProblems(await player.askStatus(played.run, 2, users), users, 'not-found', because);
      const otherRun = statusProblems(await player.askStatus(player.freshRun(), 1, users), users, 'not-found', because);
      return broken(...otherStep.problems, ...otherRun.problems);
    },
  },
  {
    name: 'status-cut-off',
    title: 'status: a call that was cut off is settled once it cannot be applied any more',
    classes: ['C'],
    play: async (player) => {
      const [users, run] = [player.freshUsers(player.terms.batchSize), player.freshRun()];
      await player.cutCall({ users, run });
      await player.wait(player.terms.appliesLateMs);
      const settled = await untilSettled(player, run, users);
      if (settled.kind === 'unanswered') return broken(settled.cause);
      const open = users.filter((user) => !isSettled(settled.statuses.get(user)));
      if (open.length > 0) {
        return broken(
          `${usersInWords(open.length)} of a call that was cut off are still not settled, such as ${someOf(open)}`,
        );
      }
      // "Not found" guarantees that the call is never applied, so a later answer must also be "not found".
      await player.wait(betweenQuestionsMs);
      const later = await player.askStatus(run, 1, users);
      if (later.kind === 'unanswered') return broken(later.cause);
      const changed = users.filter((user) => settled.statuses.get(user)?.status !== later.statuses.get(user)?.status);
      if (changed.length === 0) return kept();
      return broken(
        `the outcome of ${usersInWords(changed.length)} changed after it was said, such as ${someOf(changed)}`,
      );
    },
  },
];

/** Makes a call, and compares the status with the answer. */
async function served(player: EndpointPlayer, users: readonly string[]): Promise<Findings> {
  const played = await player.call({ users });
  if (played.results === null || played.problems.length > 0) return broken(...played.problems);
  const answer = await player.askStatus(played.run, 1, users);
  if (answer.kind === 'unanswered') return broken(answer.cause);
  const different = differing(played.results, answer.statuses);
  const [user = ''] = different;
  if (different.length === 0) return kept();
  return broken(
    `the status of ${usersInWords(different.length)} is not what the answer to their call said, such as ${someOf([user])}: ` +
      `${resultInWords(played.results.get(user))} in the answer, ${statusInWords(answer.statuses.get(user))} in the status`,
  );
}

function differing(results: Results, statuses: ReadonlyMap<string, UserStatus>): string[] {
  return [...results].flatMap(([user, result]) => {
    const status = statuses.get(user);
    if (result === 'succeeded') return status?.status === 'succeeded' ? [] : [user];
    // "Not found" also means that nothing was applied.
    if (result.retryable && status?.status === 'not-found') return [];
    return status?.status === 'failed' && status.retryable === result.retryable ? [] : [user];
  });
}

function statusProblems(
  answer: StatusAnswer,
  users: readonly string[],
  wanted: UserStatus['status'],
  because: string,
): Findings {
  if (answer.kind === 'unanswered') return broken(answer.cause);
  const wrong = users.filter((user) => answer.statuses.get(user)?.status !== wanted);
  const [user = ''] = wrong;
  if (wrong.length === 0) return kept();
  const status = statusInWords(answer.statuses.get(user));
  return broken(
    `${usersInWords(wrong.length)} should be "${wanted}", such as ${someOf([user])}, which is ${status}: ${because}`,
  );
}

async function untilSettled(player: EndpointPlayer, run: string, users: readonly string[]): Promise<StatusAnswer> {
  for (let polls = 1; ; polls++) {
    const answer = await player.askStatus(run, 1, users);
    // An earlier check covers unanswered status requests.
    if (answer.kind === 'unanswered' || polls === maxQuestions) return answer;
    if (users.every((user) => isSettled(answer.statuses.get(user)))) return answer;
    await player.wait(betweenQuestionsMs);
  }
}

function isSettled(status: UserStatus | undefined): boolean {
  return status !== undefined && status.status !== 'in-progress';
}

function statusInWords(status: UserStatus | undefined): string {
  if (status === undefined) return 'not reported clearly';
  return status.status === 'failed' && status.retryable ? '"failed", retryable' : `"${status.status}"`;
}

function resultInWords(result: Result | undefined): string {
  if (result === undefined) return 'no result';
  return result === 'succeeded' ? '"succeeded"' : `"failed"${result.retryable ? ', retryable' : ''}`;
}
