/**
 * Names in templates of bodies and headers: `{{jobId}}`. A name is replaced by a value, and `{{{{` by two braces. There
 * are no other constructs, so one pass over the text fills a template.
 */
export const templateNames = [
  'jobId',
  'attempt',
  'scheduledFor',
  'key',
  'orderingKey',
  'scheduleId',
  'group',
  'localTime',
] as const;

export type TemplateName = (typeof templateNames)[number];

export type TemplateValues = Partial<Record<TemplateName, string>>;

/** Longest values of the names that every job has. */
const everyJobs: Required<Pick<TemplateValues, 'jobId' | 'attempt' | 'scheduledFor'>> = {
  jobId: 'x'.repeat(30),
  attempt: '1'.repeat(10),
  scheduledFor: 'x'.repeat(24),
};

/** Two literal braces; a name with optional spaces; or two braces that are neither. */
const places = /\{\{\{\{|\{\{ *([A-Za-z]+) *\}\}|\{\{(?!\{)/g;

/** Context of the values: `json` escapes them as within a JSON string, `text` inserts them unchanged. */
export type TemplateForm = 'json' | 'text';

/** Fills a template. Names without a value are left as they are. */
export function fillTemplate(template: string, values: TemplateValues, form: TemplateForm): string {
  return template.replace(places, (written, name: string | undefined) => {
    if (written === '{{{{') return '{{';
    const value = name !== undefined && isTemplateName(name) ? values[name] : undefined;
    if (value === undefined) return written;
    return form === 'json' ? JSON.stringify(value).slice(1, -1) : value;
  });
}

/** Fills a header value and replaces every character that is not visible ASCII, so that the value stays one line. */
export function fillHeader(template: string, values: TemplateValues): string {
  return fillTemplate(template, values, 'text').replace(/[^\t\x20-\x7e]/g, '?');
}

function isTemplateName(name: string): name is TemplateName {
  return templateNames.some((known) => known === name);
}

export interface TemplateProblem {
  code: 'unknown-name' | 'no-value' | 'not-json' | 'too-long';
  detail: string;
}

export interface TemplateToCheck {
  text: string;
  form: TemplateForm;
  values: TemplateValues;
  /** Reasons why known names have no value here; all other names are unknown. */
  without: TemplateValues;
  /** Maximum length of the filled template. */
  maxBytes: number;
}

/** Returns the errors of a template; none if it can be filled for every call, whatever its attempt. */
export function templateProblems({ text, form, values, without, maxBytes }: TemplateToCheck): TemplateProblem[] {
  const had: TemplateValues = { ...everyJobs, ...values };
  const problems: TemplateProblem[] = [];
  for (const { 0: written, 1: name, index } of text.matchAll(places)) {
    if (written === '{{{{') continue;
    const where = `at character ${index + 1}`;
    if (name === undefined || !isTemplateName(name)) {
      const quoted = JSON.stringify(name === undefined ? text.slice(index, index + 20) : written);
      const detail = `has ${quoted} ${where}, which names nothing; names are ${Object.keys(had).join(', ')}, and {{{{ is {{`;
      problems.push({ code: 'unknown-name', detail });
    } else if (had[name] === undefined) {
      const why = without[name] ?? 'it has none';
      problems.push({ code: 'no-value', detail: `has ${JSON.stringify(written)} ${where}, and ${why}` });
    }
  }
  if (problems.length > 0) return problems;
  const bytes = longestBytes(text, values, form);
  if (bytes > maxBytes) {
    const detail = `may have ${bytes} bytes once it is filled, at most ${maxBytes} are sent`;
    problems.push({ code: 'too-long', detail });
  }
  if (form === 'json' && !isJson(fillTemplate(text, samples, form)))
    problems.push({ code: 'not-json', detail: notJson });
  return problems;
}

/** Returns the maximum length of the filled template over all calls, in bytes. */
export function longestBytes(text: string, values: TemplateValues, form: TemplateForm): number {
  return Buffer.byteLength(fillTemplate(text, { ...everyJobs, ...values }, form));
}

const notJson =
  'is not JSON once it is filled: names stand inside of texts, as in "{{jobId}}", and {{attempt}} in place of a number too';

/** A letter is valid JSON only within a text; a digit may also be part of a number. */
const samples: TemplateValues = Object.fromEntries(templateNames.map((name) => [name, name === 'attempt' ? '1' : 'x']));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
