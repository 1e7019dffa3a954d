import { createPrivateKey } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { ConfigurationError } from '../../../shared/runtime/configuration/configuration-error.ts';
import { readSecret, readTextFile } from '../../../shared/runtime/configuration/secrets.ts';
import { addressIn } from '../../../shared/runtime/configuration/mail-settings.ts';
import { mailPlaceOf } from '../../../shared/smtp/mail-transport.ts';
import type { EntryTerms } from '../actions/entry-terms.ts';
import { replaceParameters, unknownParameters } from '../databases/placeholders.ts';
import { requireDatabase } from '../databases/require-database.ts';
import { domainOf } from './addresses.ts';
import type { emailAction } from './email-action.contract.ts';
import type { MailActionSettings } from './mail-settings.ts';
import { compileTemplates, TemplateError, type MailTemplates } from './templates.ts';

export interface EmailTerms extends EntryTerms {
  /** Path of the connectors' file. */
  path: string;
}

type Given = z.infer<typeof emailAction>;

const minSecretLength = 32;
/** Limit in milliseconds: a look-up is part of a batch, which has to be answered within seconds. */
const lookupMs = 5000;

/**
 * Returns the settings of an e-mail action; undefined if the entry has problems, which are added to `terms.problems`.
 */
export function readEmailAction(given: Given, terms: EmailTerms): MailActionSettings | undefined {
  const { id, field, databases, problems } = terms;
  requireDatabase(databases, { field: `${field}.users.database`, database: given.users.database, problems });
  for (const name of otherParametersIn(given.users.query))
    problems.add(`${field}.users.query has to name only :users, not ":${name}"`);
  const messageDomain = domainOf(addressIn(given.email.from));
  if (messageDomain === undefined) problems.add(`${field}.email.from has to be an address such as news@example.com`);
  const read = {
    render: problems.of(() => templatesOf(given.email, terms)),
    url: problems.of(() => serverOf(given.smtp.urlEnv, terms)),
    secret: problems.of(() => secretOf('secretEnv', given.secretEnv, terms)),
    formerSecrets: problems.of(() => formerSecretsOf(given, terms)),
    dkim: problems.of(() => dkimOf(given.smtp.dkim, terms)),
  };
  const { render, url, secret, formerSecrets, dkim } = read;
  if (!render || !url || !secret || !formerSecrets || !dkim || messageDomain === undefined) return undefined;
  const { perDomain, unsubscribe, smtp } = given;
  return {
    form: 'email',
    id,
    from: given.email.from,
    replyTo: given.email.replyTo,
    render: render.value,
    users: { database: given.users.database, text: given.users.query.replace(/[;\s]+$/, ''), timeoutMs: lookupMs },
    smtp: {
      url: url.value,
      maxConnections: smtp.maxConnections,
      timeoutMs: smtp.timeoutSeconds * 1000,
      dkim: dkim.value,
    },
    domains: {
      perSecond: perDomain.perSecond,
      perSecondOf: new Map(Object.entries(perDomain.perSecondOf)),
      pauseAfterRefusals: perDomain.pauseAfterRefusals,
      pauseMs: perDomain.pauseSeconds * 1000,
    },
    secrets: [secret.value, ...formerSecrets.value],
    messageDomain,
    unsubscribe: unsubscribe && { baseUrl: unsubscribe.url.replace(/\/$/, ''), texts: unsubscribe },
    suppressionList: given.suppressionList ?? id,
    isSentAgain: given.onLostAnswer === 'send-again',
    batchMs: given.batchSeconds * 1000,
    keepSeconds: given.keepDays * 86_400,
  };
}

function otherParametersIn(query: string): string[] {
  const named = unknownParameters(query);
  replaceParameters(query, (parameter) => {
    if (parameter !== 'users') named.push(parameter);
    return '';
  });
  return named;
}

function templatesOf({ subject, html, text }: Given['email'], { field, path }: EmailTerms) {
  const sourceOf = (part: 'html' | 'text', source: string | { file: string } | undefined) =>
    typeof source === 'object'
      ? readTextFile(`${field}.email.${part}.file`, resolve(dirname(path), source.file))
      : source;
  const templates: MailTemplates = { subject, html: sourceOf('html', html), text: sourceOf('text', text) };
  if (templates.html === undefined && templates.text === undefined)
    throw new ConfigurationError(`${field}.email has to have html, text or both`);
  try {
    return compileTemplates(templates);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new ConfigurationError(`${field}.email.${error.field} is no template: ${error.message}`, { cause: error });
  }
}

/** Reads the address of the mail server. Error messages never quote the address, because it may contain a password. */
function serverOf(urlEnv: string, { field, environment, guard }: EmailTerms): string {
  const subject = `${field}.smtp.urlEnv names ${urlEnv}, which`;
  const url = readSecret(urlEnv, environment);
  if (url === undefined) throw new ConfigurationError(`${subject} is not set`);
  if (!/^smtps?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw new ConfigurationError(`${subject} has to be a URL such as smtps://user:password@smtp.example.com:465`);
  const cause = guard.whyNot(new URL(`tcp://${new URL(url).hostname}:${mailPlaceOf(url).port}`));
  if (cause !== null) throw new ConfigurationError(`${subject} may not be called: ${cause}`);
  return url;
}

function formerSecretsOf({ formerSecretEnv }: Given, terms: EmailTerms): string[] {
  return formerSecretEnv === undefined ? [] : [secretOf('formerSecretEnv', formerSecretEnv, terms)];
}

function secretOf(name: 'secretEnv' | 'formerSecretEnv', variable: string, terms: EmailTerms): string {
  const { field, environment } = terms;
  const secret = readSecret(variable, environment) ?? '';
  if (secret.length < minSecretLength)
    throw new ConfigurationError(
      `${field}.${name} names ${variable}, which has to have at least ${minSecretLength} characters, not ${secret.length}`,
    );
  return secret;
}

function dkimOf(dkim: Given['smtp']['dkim'], { field, environment }: EmailTerms): MailActionSettings['smtp']['dkim'] {
  if (!dkim) return undefined;
  const privateKey = readSecret(dkim.keyEnv, environment);
  const subject = `${field}.smtp.dkim.keyEnv names ${dkim.keyEnv}, which`;
  if (privateKey === undefined) throw new ConfigurationError(`${subject} is not set`);
  try {
    createPrivateKey(privateKey);
  } catch (error) {
    throw new ConfigurationError(`${subject} has to be a private key in PEM`, { cause: error });
  }
  return { domainName: dkim.domain, keySelector: dkim.selector, privateKey };
}
