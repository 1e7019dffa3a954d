import { broken, everyClass, kept, type EndpointCheck } from './endpoint-check.ts';
import type { EndpointPlayer, Played } from './endpoint-player.ts';
import { usersInWords } from './words.ts';

const manyUsers = 1000;

/** Checks that apply to endpoints of every class. */
export const answerChecks: readonly EndpointCheck[] = [
  {
    name: 'one-user',
    title: 'a call with one user',
    classes: everyClass,
    play: async (player) => {
      const played = await player.call({ users: player.freshUsers(1) });
      return { problems: played.problems, notes: notesOf(player, played) };
    },
  },
  {
    name: 'whole-batch',
    title: 'a call with a whole batch',
    classes: everyClass,
    play: async (player) => {
      const played = await player.call({ users: player.freshUsers(player.terms.batchSize) });
      return { problems: played.problems, notes: notesOf(player, played) };
    },
  },
  {
    name: 'many-users',
    title: `a call with ${usersInWords(manyUsers)}, answered or refused as too large (413)`,
    classes: everyClass,
    play: async (player) => {
      const played = await player.call({ users: player.freshUsers(manyUsers) });
      if (played.status === 413) return kept([`refuses ${usersInWords(manyUsers)} in one call: Muster would halve it`]);
      return broken(...played.problems);
    },
  },
  {
    name: 'odd-ids',
    title: 'user ids with spaces, quotes, %, backslashes, emoji, and long ones',
    classes: everyClass,
    play: async (player) => {
      const users = player.oddUsers();
      const played = await player.call({ users });
      if (played.problems.length === 0) return kept();
      // A few more calls find the ids that caused the problem.
      const single: string[] = [];
      for (const user of users) {
        const alone = await player.call({ users: [user] });
        if (alone.problems.length > 0) single.push(JSON.stringify(user.slice(0, 80)));
      }
      const culprits = single.length > 0 ? [`ids that come back wrong or not at all: ${single.join(', ')}`] : [];
      return broken(...played.problems, ...culprits, 'a user id has to come back byte by byte as it was sent');
    },
  },
  {
    name: 'unknown-fields',
    title: 'a call with fields that are not known yet',
    classes: everyClass,
    play: async (player) => {
      const more = { futureField: { nested: [1, 'two'] }, anotherOne: null };
      const played = await player.call({ users: player.freshUsers(2), more });
      return played.problems.length === 0
        ? kept()
        : broken(
            ...played.problems,
            'fields that the endpoint does not know have to be ignored: later versions may send more',
          );
    },
  },
];

/** Runs last: checks the duration of all earlier calls. */
export const timeCheck: EndpointCheck = {
  name: 'in-time',
  title: 'answers in good time',
  classes: everyClass,
  play: (player) => {
    const { timeoutMs } = player.terms;
    const slowestMs = Math.round(player.slowestMs());
    const isClose = slowestMs > timeoutMs / 2;
    const problem = `the slowest answer took ${slowestMs} ms of ${timeoutMs}: under load it would come too late; raise timeoutMs or answer sooner`;
    return Promise.resolve(isClose ? broken(problem) : kept([`slowest answer: ${slowestMs} ms`]));
  },
};

function notesOf({ terms }: EndpointPlayer, { form }: Played): string[] {
  const { answerForm } = terms;
  if (form === null || answerForm === undefined || form === answerForm) return [];
  return [`answers in the ${form} form, though ${answerForm} is declared: understood, and slower to read`];
}
