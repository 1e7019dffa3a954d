import type { Results } from './answer-problems.ts';
import { broken, kept, type EndpointCheck } from './endpoint-check.ts';
import type { EndpointPlayer, Played, PlayedCall } from './endpoint-player.ts';
import { someOf, usersInWords } from './words.ts';

/** Maximum repeats of a call that the endpoint postpones or has not finished. */
const maxTries = 10;
const betweenTriesMs = 200;

/** Checks of classes A and B: a repeat has no second effect and gets the first result. */
export const repeatChecks: readonly EndpointCheck[] = [
  {
    name: 'repeat',
    title: 'the same call again gets the same results',
    classes: ['A', 'B'],
    play: async (player) => {
      const call = newCall(player, player.terms.batchSize);
      const first = await player.call(call);
      if (first.problems.length > 0) return broken(...first.problems);
      const second = await player.call({ ...call, attempt: 2 });
      const problems = repeatProblems(player, first, second, 'the same call again');
      return { problems, notes: [ownRecords(first)] };
    },
  },
  {
    name: 'parallel',
    title: 'the same call twice at once has one result',
    classes: ['A', 'B'],
    play: async (player) => {
      const call = newCall(player, player.terms.batchSize);
      const both = await Promise.all([player.call(call), player.call({ ...call, attempt: 2 })]);
      // The endpoint may also postpone one of the two calls, because it then applies nothing of that call.
      const counting = both.filter(({ isPostponed }) => !isPostponed);
      const settled = await repeatUntilAnswered(player, { ...call, attempt: 3 });
      const problems = counting.flatMap((played) =>
        repeatProblems(player, settled, played, 'one of two calls with the same key at the same time'),
      );
      return broken(...new Set([...settled.problems, ...problems]));
    },
  },
  {
    name: 'cut-off',
    title: 'a call that is cut off and comes again gets its results',
    classes: ['A', 'B'],
    play: async (player) => {
      const call = newCall(player, player.terms.batchSize);
      const wasCut = await player.cutCall(call);
      const first = await repeatUntilAnswered(player, { ...call, attempt: 2 });
      if (first.problems.length > 0) return broken(...first.problems);
      const second = await player.call({ ...call, attempt: 3 });
      const problems = repeatProblems(player, first, second, 'a call that was cut off, and came again twice,');
      return { problems, notes: wasCut ? [] : ['the endpoint was too quick to be cut off'] };
    },
  },
  {
    name: 'other-key',
    title: 'users that come again under another key, among others, get their first result',
    classes: ['A'],
    play: async (player) => {
      const call = newCall(player, Math.min(10, player.terms.batchSize));
      const first = await player.call(call);
      if (first.problems.length > 0) return broken(...first.problems);
      const { key: _key, batch: _batch, ...again } = call;
      const users = [...call.users.slice(0, 5), ...player.freshUsers(2)];
      const second = await player.call({ ...again, users });
      const requested = new Set(users);
      const known = new Map([...(first.results ?? [])].filter(([user]) => requested.has(user)));
      const expected = { ...first, results: known, users: [...known.keys()] };
      return broken(...repeatProblems(player, expected, second, 'the same run, step and users under another key'));
    },
  },
  {
    name: 'other-run',
    title: 'the same users in another run are served anew',
    classes: ['A', 'B', 'C', 'D'],
    play: async (player) => {
      const users = player.freshUsers(2);
      const first = await player.call({ users });
      const second = await player.call({ users, run: player.freshRun() });
      return broken(...first.problems, ...second.problems);
    },
  },
  {
    name: 'key-reused',
    title: 'other bytes under a key that was used are refused (422 key-reused)',
    classes: ['B'],
    play: async (player) => {
      const call = newCall(player, 2);
      const first = await player.call(call);
      if (first.problems.length > 0) return broken(...first.problems);
      const other = await player.call({ ...call, users: player.freshUsers(2), attempt: 2 });
      if (other.status === 422 && other.code === 'key-reused') return kept();
      const answered = other.status === 0 ? 'no answer' : `${other.status}${other.code === '' ? '' : ` ${other.code}`}`;
      return broken(
        `a key that came again with other users was answered ${answered}, not 422 with {"code": "key-reused"}: ` +
          'an endpoint that does not see the difference answers for the wrong users',
      );
    },
  },
];

/** Returns a call with fixed key and batch, which can be repeated byte by byte. */
function newCall(player: EndpointPlayer, count: number): Required<Pick<PlayedCall, 'users' | 'run' | 'batch' | 'key'>> {
  const users = player.freshUsers(count);
  const batch = Number(/(\d+)$/.exec(users[0] ?? '')?.[1] ?? 1);
  return { users, run: player.freshRun(), batch, key: `${users[0] ?? ''}-1` };
}

async function repeatUntilAnswered(player: EndpointPlayer, call: PlayedCall): Promise<Played> {
  let played = await player.call(call);
  for (let tries = 1; played.isPostponed && tries < maxTries; tries++) {
    await player.wait(Math.min(played.retryAfterMs ?? betweenTriesMs, player.terms.timeoutMs));
    played = await player.call({ ...call, attempt: (call.attempt ?? 1) + tries });
  }
  return played;
}

/**
 * Returns a hint to check the endpoint's own records. No check can detect an endpoint that serves a user twice but
 * answers the same.
 */
function ownRecords({ users, run }: Played): string {
  return `what only your own records can show: ${users[0] ?? ''} of ${run} has to stand there exactly once`;
}

/** Compares final results in class A, and the whole answer in class B. */
function repeatProblems(player: EndpointPlayer, first: Played, second: Played, what: string): string[] {
  if (second.results === null || second.problems.length > 0) {
    const means = second.status === 0 ? 'got no whole answer' : `was answered ${second.status}`;
    return [
      `${what} ${second.results === null ? means : 'got an answer that breaks the contract'}: ${second.problems.join('; ')}`,
      'a repeat has to get the first result with status 200, never an error for being a repeat',
    ];
  }
  const changed = changedUsers(first.results ?? new Map(), second.results, player.terms.contractClass === 'B');
  if (changed.length === 0) return [];
  const [user = ''] = changed;
  return [
    `${what} has other results than the first for ${usersInWords(changed.length)}, such as ${someOf([user])}: ` +
      `${inWords(first.results, user)} before, ${inWords(second.results, user)} now; Muster would count the wrong one`,
  ];
}

function changedUsers(first: Results, second: Results, isWhole: boolean): string[] {
  return [...first].flatMap(([user, before]) => {
    const isFinal = before === 'succeeded' || !before.retryable;
    if (!isFinal && !isWhole) return [];
    return sameResult(before, second.get(user)) ? [] : [user];
  });
}

function sameResult(a: ReturnType<Results['get']>, b: ReturnType<Results['get']>): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function inWords(results: Results | null, user: string): string {
  const result = results?.get(user);
  if (result === undefined) return 'no result';
  return result === 'succeeded' ? 'succeeded' : `failed (${result.code}${result.retryable ? ', retryable' : ''})`;
}
