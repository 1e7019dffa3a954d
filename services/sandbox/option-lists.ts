import { z } from 'zod';
import type { OfferedOption } from '../../shared/contracts/endpoints/parameter-options.ts';
import { countryPattern } from '../../shared/domain/endpoint/shard.ts';
import type { HttpAnswer } from './wire/http-answer.ts';

const maxListed = 200;

const listQuery = z.object({
  country: z.string().regex(countryPattern).optional(),
  search: z.string().default(''),
  limit: z.coerce.number().int().min(1).max(maxListed).default(50),
});

/** Options that can be listed. The services accept any other value too. */
const lists: Readonly<Record<string, readonly OfferedOption[]>> = {
  rewards: [
    { value: 'ride-5', label: 'Ride, 5 off', description: 'Off one ride, for 30 days' },
    { value: 'ride-10', label: 'Ride, 10 off', description: 'Off one ride, for 30 days' },
    { value: 'ride-free', label: 'Free ride', description: 'One ride up to 20, for 14 days' },
    { value: 'airport-15', label: 'Airport ride, 15 off', countries: ['SG'] },
    { value: 'bike-3', label: 'Bike ride, 3 off', countries: ['ID', 'VN'] },
    { value: 'meal-5', label: 'Meal, 5 off', description: 'Off one order of 15 or more' },
    { value: 'delivery-free', label: 'Free delivery', description: 'Three orders, for 14 days' },
  ],
  messages: [
    { value: 'congratulations', label: 'Congratulations', description: 'Something was given to you' },
    { value: 'come-back', label: 'We miss you', description: 'To riders who have not been seen for a while' },
    { value: 'payday', label: 'Payday treat' },
    { value: 'expires-soon', label: 'Your reward ends soon', description: 'Three days before it does' },
    { value: 'new-routes', label: 'New routes in town', countries: ['SG', 'VN'] },
  ],
};

/** Returns the display name of a message template; undefined if there is no such template. */
export function titleOfTemplate(template: string): string | undefined {
  return lists['messages']?.find(({ value }) => value === template)?.label ?? undefined;
}

const optionsPath = /^\/(rewards|messages)\/v1\/options$/;

/** Answers the reference option lists of a team (docs/optional-contracts.md); null for other paths. */
export function answerOptions(path: string, query: URLSearchParams): HttpAnswer | null {
  const [, service] = optionsPath.exec(path) ?? [];
  const offered = service === undefined ? undefined : lists[service];
  if (!offered) return null;
  const parsed = listQuery.safeParse(Object.fromEntries(query));
  if (!parsed.success) {
    const message = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    return { status: 400, body: JSON.stringify({ code: 'bad-query', message }) };
  }
  const { country, search, limit } = parsed.data;
  const part = search.toLowerCase();
  const found = offered.filter(
    ({ value, label, countries }) =>
      (country === undefined || (countries?.includes(country) ?? true)) &&
      [String(value), label ?? ''].some((text) => text.toLowerCase().includes(part)),
  );
  return { status: 200, body: JSON.stringify({ options: found.slice(0, limit), more: found.length > limit }) };
}
