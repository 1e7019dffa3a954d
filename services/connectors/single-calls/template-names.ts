import type { Problems } from '../../../shared/runtime/configuration/configuration-error.ts';
import type { CallActionSettings } from './call-settings.ts';
import { forEachUser, namesIn, namesOfCall, namesOfUser, type Json } from './call-template.ts';

const settingPlace = /\{\{ *settings\.([A-Za-z]\w*) *\}\}/g;

export interface SettingTerms {
  /** Field of the settings; `of` describes what needs the setting. */
  field: string;
  of: string;
  problems: Problems;
}

/** Replaces `{{settings.<name>}}`, once for all calls. */
export function withSettings(text: string, settings: Readonly<Record<string, string>>, terms: SettingTerms): string {
  return text.replace(settingPlace, (_, name: string) => {
    const value = settings[name];
    if (value === undefined) terms.problems.add(`${terms.field}.${name} is not set: ${terms.of} needs it`);
    return value ?? 'not-set';
  });
}

export interface NamesToCheck {
  /** Texts outside of the body, by their field. */
  parts: Readonly<Record<string, string>>;
  content: CallActionSettings['content'];
  /** True if each request has a single user, so that variables of the user are allowed everywhere. */
  isPerUser: boolean;
  hasAttributes: boolean;
  /** Path of the call in the file, for problem messages. */
  place: string;
  problems: Problems;
}

/** Adds a problem for each variable that has no value in any call. */
export function checkNames({ parts, content, isPerUser, hasAttributes, place, problems }: NamesToCheck): void {
  const check = (text: string, field: string, isOfUser: boolean) => {
    for (const name of namesIn(text)) {
      const cause = problemOf(name, { isOfUser, hasAttributes });
      if (cause !== undefined) problems.add(`${place}.${field} has ${quotedName(name)}, ${cause}`);
    }
  };
  for (const [field, text] of Object.entries(parts)) check(text, field, isPerUser);
  if (content?.kind === 'form')
    for (const [name, text] of Object.entries(content.fields)) check(text, `form.${name}`, isPerUser);
  if (content?.kind === 'json') walk(content.body, 'body', isPerUser);

  function walk(body: Json, field: string, isOfUser: boolean): void {
    if (typeof body === 'string') check(body, field, isOfUser);
    if (typeof body !== 'object' || body === null) return;
    for (const [name, value] of Object.entries(body)) walk(value, `${field}.${name}`, isOfUser || name === forEachUser);
  }
}

function problemOf(
  name: string | undefined,
  { isOfUser, hasAttributes }: { isOfUser: boolean; hasAttributes: boolean },
): string | undefined {
  const [root = '', ...rest] = (name ?? '').split('.');
  const known = [...namesOfCall, ...namesOfUser].some((each) => each === root);
  const isNested = root === 'params' || root === 'attributes';
  if (!known || (rest.length > 0 && !isNested) || (rest.length === 0 && root === 'attributes'))
    return 'which names nothing: names are user, key, country, campaign, run, step, params, params.<name>, attributes.<column> and settings.<name>; {{{{ is {{';
  if (!isOfUser && namesOfUser.some((each) => each === root))
    return `which belongs into ${forEachUser} if usersPerCall is more than 1`;
  if (root === 'attributes' && !hasAttributes) return 'which needs a query in users';
  return undefined;
}

function quotedName(name: string | undefined): string {
  return JSON.stringify(name === undefined ? '{{' : `{{${name}}}`);
}
