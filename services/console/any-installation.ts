/**
 * The document without what only one installation knows: the console has to work with any, and its types must not name the countries and
 * actions of the one that it was built with. Parameters of actions are read from their schemas while the console runs.
 */
export function ofAnyInstallation(document: unknown): unknown {
  return inner(document, []);
}

const countries = 'components/schemas/CampaignDefinitionInput/properties/countries/items';
const step = 'components/schemas/CampaignDefinitionInput/properties/chain/items';

function inner(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => inner(each, path));
  if (typeof value !== 'object' || value === null) return value;
  const here = path.join('/');
  const left: [string, unknown][] = Object.entries(value).filter(([name]) => {
    if (here === countries || here === `${step}/properties/action`) return name !== 'enum';
    if (here === step) return name !== 'allOf';
    return here !== 'components/schemas' || !name.startsWith('Params.');
  });
  return Object.fromEntries(left.map(([name, each]) => [name, inner(each, [...path, name])]));
}
