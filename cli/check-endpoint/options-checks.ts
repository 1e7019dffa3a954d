import type { OptionPage } from '../../shared/contracts/endpoints/parameter-options.ts';
import { broken, everyClass, kept, type EndpointCheck, type Findings } from './endpoint-check.ts';
import type { EndpointPlayer } from './endpoint-player.ts';

/** Maximum options of a request. Small, so that even a list of three exceeds the limit. */
const optionsPerRequest = 2;
/** Search text that matches no option. */
const nonsense = 'muster-check-no-such-option';

export const optionsChecks: readonly EndpointCheck[] = [
  {
    name: 'options',
    title: 'the options of its parameters: at most as many as asked for, found by a search',
    classes: everyClass,
    isFor: ({ options }) => options.length > 0,
    play: async (player) => {
      const findings: Findings[] = [];
      for (const url of player.terms.options) findings.push(await playList(player, url));
      return {
        problems: findings.flatMap(({ problems }) => problems),
        notes: findings.flatMap(({ notes = [] }) => notes),
      };
    },
  },
];

async function playList(player: EndpointPlayer, url: string): Promise<Findings> {
  const { country } = player.terms;
  const first = await player.askOptions(url, { limit: optionsPerRequest });
  if (!first.ok) return broken(`${url}: ${first.cause}`);
  const { options } = first.page;
  const problems = [
    ...(options.length > optionsPerRequest
      ? [`${url}: asked for ${optionsPerRequest}, it answers ${options.length}`]
      : []),
    ...(new Set(options.map(({ value }) => typeof value)).size > 1 ? [`${url}: values are texts and numbers`] : []),
    ...(hasRepeats(first.page) ? [`${url}: a value stands there twice`] : []),
  ];
  const [option] = options;
  if (option === undefined || problems.length > 0) {
    return problems.length > 0 ? broken(...problems) : kept([`${url}: the list is empty`]);
  }
  const found = await player.askOptions(url, { search: String(option.value), limit: 100 });
  if (!found.ok) return broken(`${url}, searched for ${JSON.stringify(option.value)}: ${found.cause}`);
  if (!found.page.options.some(({ value }) => value === option.value)) {
    return broken(`${url}: a search for the value ${JSON.stringify(option.value)} does not find it`);
  }
  const none = await player.askOptions(url, { search: nonsense, country, limit: 100 });
  if (!none.ok) return broken(`${url}, searched for ${JSON.stringify(nonsense)} in ${country}: ${none.cause}`);
  if (none.page.options.length === 0) return kept();
  return broken(
    `${url}: a search for ${JSON.stringify(nonsense)} finds ${none.page.options.length}: it is passed over`,
  );
}

function hasRepeats({ options }: OptionPage): boolean {
  return new Set(options.map(({ value }) => value)).size < options.length;
}
