import { Liquid, type Template } from 'liquidjs';

/** Liquid sources of a mail's parts. At least one of `html` and `text` is set. */
export interface MailTemplates {
  subject: string;
  html?: string | undefined;
  text?: string | undefined;
}

export interface RenderedMail {
  subject: string;
  html: string | undefined;
  text: string | undefined;
}

/** Variables of a template: `user` has the columns of the look-up, `params` has the campaign's parameters. */
export interface TemplateScope {
  user: Readonly<Record<string, unknown>>;
  params: Readonly<Record<string, unknown>>;
  [field: string]: unknown;
}

export type Rendering =
  | { ok: true; mail: RenderedMail }
  | { ok: false; code: 'template-failed' | 'mail-too-large' | 'empty-subject'; message: string };

/** A template that cannot be parsed. `field` is the part of the mail. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly field: keyof MailTemplates;

  constructor(field: keyof MailTemplates, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.field = field;
  }
}

/** Limits of one part: characters of its source, milliseconds of a rendering, and objects that a rendering creates. */
const limits = { parseLimit: 500_000, renderLimit: 100, memoryLimit: 5_000_000 };
/**
 * Attempts to render a part within its time limit. The limit also expires if the process was suspended, or waited for a
 * processor.
 */
const renderAttempts = 3;
const timeLimitMessage = 'template render limit exceeded';
/** Highest number of characters of a rendered part. For comparison: Gmail truncates mails at 102 KB. */
const maxLength = 1_000_000;
const maxSubjectLength = 500;

/** Tags that would load another template, and are refused. */
const readingTags = ['include', 'render', 'layout', 'block'];

/** Engine for HTML parts: values are escaped unless the template has `| raw`. */
const htmlEngine = createEngine({ outputEscape: 'escape' });
const textEngine = createEngine({});

/**
 * Parses the templates and returns a function that renders them. An unknown variable fails the user's mail, except in
 * `if` and before `default`.
 * @throws {TemplateError}
 */
export function compileTemplates({ subject, html, text }: MailTemplates): (scope: TemplateScope) => Rendering {
  const parts = {
    subject: parse(textEngine, 'subject', subject),
    html: html === undefined ? undefined : parse(htmlEngine, 'html', html),
    text: text === undefined ? undefined : parse(textEngine, 'text', text),
  };
  return (scope) => {
    try {
      const mail = {
        subject: oneLine(render(textEngine, parts.subject, scope)),
        html: parts.html && render(htmlEngine, parts.html, scope),
        text: parts.text && render(textEngine, parts.text, scope),
      };
      if (Math.max(mail.html?.length ?? 0, mail.text?.length ?? 0) > maxLength)
        return { ok: false, code: 'mail-too-large', message: `longer than ${maxLength} characters` };
      if (mail.subject === '') return { ok: false, code: 'empty-subject', message: 'the subject is empty' };
      return { ok: true, mail };
    } catch (error) {
      return { ok: false, code: 'template-failed', message: error instanceof Error ? error.message : String(error) };
    }
  };
}

/** Replaces line breaks, because a line break in a header would begin another header. */
export function oneLine(value: string): string {
  return value
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, maxSubjectLength);
}

function createEngine(escape: { outputEscape?: 'escape' }): Liquid {
  const engine = new Liquid({
    ...limits,
    ...escape,
    // With templates in memory, even an empty set, the engine does not search for files.
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: true,
    lenientIf: true,
  });
  for (const tag of readingTags) engine.registerTag(tag, { parse: () => refuseTag(tag), render: () => '' });
  return engine;
}

function refuseTag(tag: string): never {
  throw new Error(`${tag} is not available: a template reads no other template`);
}

function parse(engine: Liquid, field: keyof MailTemplates, source: string): Template[] {
  try {
    return engine.parse(source);
  } catch (error) {
    throw new TemplateError(field, error);
  }
}

function render(engine: Liquid, template: Template[], scope: TemplateScope): string {
  for (let attempt = 1; ; attempt++) {
    try {
      return String(engine.renderSync(template, scope));
    } catch (error) {
      const isLate = error instanceof Error && error.message.startsWith(timeLimitMessage);
      if (!isLate || attempt === renderAttempts) throw error;
    }
  }
}
